import { AgentHosts } from './agent-hosts.js';

describe('hosts where agents may be called', () => {
  const named = ['Agents.example', 'more.example:8443', 'tls.example:443', 'plain.example:0080'];
  const hosts = new AgentHosts([...named, '10.1.0.0/16', '2001:db8::7', '127.0.0.9:8700', '[0:0::1]:8700']);

  it.each([
    ['https://agents.example/a', true],
    ['https://agents.example:9/a', true],
    ['https://more.example:8443/a', true],
    ['https://more.example/a', false],
    ['https://evil.example/a', false],
    ['https://agents.example.evil.example/a', false],
    ['http://10.1.2.3/a', true],
    ['http://10.2.2.3/a', false],
    ['http://[2001:db8::7]/a', true],
    ['http://127.0.0.1/a', false],
    ['https://tls.example/a', true],
    ['https://tls.example:443/a', true],
    ['http://tls.example/a', false],
    ['http://plain.example/a', true],
    ['https://plain.example/a', false],
    ['http://127.0.0.9:8700/a', true],
    ['http://127.0.0.9:8701/a', false],
    ['http://127.0.0.9/a', false],
    ['http://[::1]:8700/a', true],
    ['http://[::1]/a', false],
    // As a URL writes it: 127.0.0.1.
    ['http://2130706433/a', false],
  ])('are those that are listed: %s %s', (url, isListed) => expect(hosts.lists(new URL(url))).toBe(isListed));

  it.each([
    '127.0.0.1',
    // Of one port, and no name may lead to it at another.
    '127.0.0.9',
    '10.2.0.1',
    '100.64.0.1',
    '169.254.169.254',
    '172.31.0.1',
    '192.168.1.1',
    '0.0.0.0',
    '255.255.255.255',
    '::',
    '::1',
    '::7f00:1',
    '3fff::1',
    '::ffff:127.0.0.1',
    '::ffff:a9fe:a9fe',
    'fe80::1',
    'fec0::1',
    '5f00::1',
    '::ffff:0:127.0.0.1',
    'fd00:ec2::254',
    '64:ff9b::7f00:1',
    '2002:7f00:1::',
    'no address',
  ])('lead to no address that is not public, unless it is listed: %s', (address) =>
    expect(hosts.takes(address)).toBe(false),
  );

  it.each(['93.184.216.34', '2606:2800:220:1::1', '10.1.2.3', '2001:db8::7'])(
    'lead to public addresses, and to those that are listed: %s',
    (address) => expect(hosts.takes(address)).toBe(true),
  );

  it('list this machine by its name', () => {
    const here = new AgentHosts(['localhost']);
    expect([here.lists(new URL('http://localhost:8080')), here.lists(new URL('http://127.0.0.1:8080'))]).toEqual([
      true,
      true,
    ]);
    expect(['127.0.0.1', '::1', '10.0.0.1'].map((address) => here.takes(address))).toEqual([true, true, false]);
  });
});
