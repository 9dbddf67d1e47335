import { EventStoreDbUrlError, parseEventStoreDbUrl } from './connection-string.js';

const refusal = (url: string): string => {
  try {
    parseEventStoreDbUrl(url);
    return 'accepted';
  } catch (error) {
    if (error instanceof EventStoreDbUrlError) return error.message;
    throw error;
  }
};

describe('a connection string', () => {
  it('names one node, with TLS unless it says otherwise', () => {
    expect(parseEventStoreDbUrl('esdb://ops:s%40crt@db.example.com')).toMatchObject({
      hosts: [{ address: 'db.example.com', port: 2113 }],
      discovers: 'none',
      tls: true,
      credentials: { username: 'ops', password: 's@crt' },
    });
    expect(parseEventStoreDbUrl('esdb://127.0.0.1:2114?tls=false')).toMatchObject({
      hosts: [{ address: '127.0.0.1', port: 2114 }],
      tls: false,
    });
  });

  it('names several nodes, or one name for all, which are then asked for the leader', () => {
    const three = parseEventStoreDbUrl('esdb://u:p@a:1,b:2,c:3?tls=true&nodePreference=leader&gossipTimeout=3');
    expect(three).toMatchObject({ discovers: 'gossip', numbers: { gossipTimeout: 3 } });
    expect(three.hosts).toHaveLength(3);
    expect(parseEventStoreDbUrl('esdb+discover://u:p@cluster.example.com:2113')).toMatchObject({ discovers: 'dns' });
  });

  it('is shown without its password', () => {
    const { shown } = parseEventStoreDbUrl('esdb://ops:hunter2@a:1?tls=true&default-deadline=5000');
    expect(shown).toBe('esdb://ops:***@a:1?tls=true&default-deadline=5000');
  });

  it.each([
    ['', 'is no connection string'],
    ['http://u:p@host:2113', 'is no connection string'],
    ['esdb://u:p@', 'is no connection string'],
    ['esdb://host:2113', 'with TLS it names a user and a password'],
    ['esdb://user@host:2113', 'before the @ stand a user and a password'],
    ['esdb://u:hunter2@ho st', 'a host is a name'],
    ['esdb://u:hunter2@host:99999', 'a port from 1 to 65535'],
    ['esdb://u:hunter2@host?tls=yes', 'tls is true or false'],
    ['esdb://u:hunter2@host?tlsVerifyCert=false', 'name the authority with tlsCAFile'],
    ['esdb://u:hunter2@host?throwOnAppendFailure=false', 'would take a refused append for a stored one'],
    ['esdb://u:hunter2@host?nodePreference=follower', 'nodePreference is leader'],
    ['esdb://u:hunter2@host?defaultDeadline=soon', 'defaultDeadline is a whole number from 1 to 600000'],
    ['esdb://u:hunter2@host?colour=red', 'its option colour is none of'],
    ['esdb://u:hunter2@host?userCertFile=/x', 'userCertFile and userKeyFile stand together'],
    ['esdb://u:%ZZ@host', 'percent-encoded'],
  ])('%s is refused with what is wrong, and without a password', (url, said) => {
    expect(refusal(url)).toContain(said);
    expect(refusal(url)).toContain('its form is esdb://');
    expect(refusal(url)).not.toContain('hunter2');
  });
});
