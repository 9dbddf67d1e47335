import { ProxyAddressError, TrustedProxies } from './trusted-proxies.js';

describe('whose request it is', () => {
  const proxies = TrustedProxies.of('10.0.0.0/8, 192.0.2.1,2001:db8::/32');
  test.each([
    ['nobody’s but the peer’s without the header', '10.0.0.1', undefined, '10.0.0.1'],
    ['the peer’s, whatever it says, where the peer is no proxy', '203.0.113.9', '198.51.100.1', '203.0.113.9'],
    ['whom a proxy names', '10.0.0.1', '198.51.100.1', '198.51.100.1'],
    ['the last who is no proxy, whatever stands before', '10.0.0.1', '1.1.1.1, 198.51.100.1, 10.9.9.9', '198.51.100.1'],
    ['the first proxy’s where all are', '10.0.0.1', '10.0.0.3, 10.0.0.2', '10.0.0.3'],
    ['the proxy’s that wrote what is no address', '10.0.0.1', 'unknown, 10.0.0.2', '10.0.0.2'],
    ['named with a port', '10.0.0.1', '198.51.100.1:4711', '198.51.100.1'],
    ['of IPv6', '2001:db8::1', '2001:db9::7', '2001:db9::7'],
    ['of IPv6 with a port', '::ffff:10.0.0.1', '[2001:db9::7]:4711', '2001:db9::7'],
    ['of IPv4 in IPv6', '::ffff:192.0.2.1', '::ffff:198.51.100.1', '198.51.100.1'],
    ['of an empty header', '10.0.0.1', '', '10.0.0.1'],
  ])('%s', (_, peer, header, client) => {
    expect(proxies.clientOf(peer, header)).toBe(client);
  });

  test('is the peer’s where no proxy is trusted', () => {
    expect(TrustedProxies.of('off').clientOf('127.0.0.1', '198.51.100.1')).toBe('127.0.0.1');
    expect(TrustedProxies.of('off').trusts('127.0.0.1')).toBe(false);
  });
});

test.each(['', 'on', '1', 'proxy.example', '10.0.0.0/33', '10.0.0.0/8/8', '10.0.0.0/', '::1/129', '10.0.0.1,'])(
  '"%s" names no proxy',
  (text) => {
    expect(() => TrustedProxies.of(text)).toThrow(ProxyAddressError);
  },
);
