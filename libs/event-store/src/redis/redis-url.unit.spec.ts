import { parseRedisUrl, RedisUrlError } from './redis-url.js';

describe('the address of a Redis', () => {
  it.each([
    ['redis://cache', { host: 'cache', port: 6379, tls: false, db: 0, shown: 'redis://cache:6379/0' }],
    ['redis://10.0.0.7:7000/3', { host: '10.0.0.7', port: 7000, tls: false, db: 3, shown: 'redis://10.0.0.7:7000/3' }],
    ['redis://[::1]:7000/', { host: '::1', port: 7000, tls: false, db: 0, shown: 'redis://[::1]:7000/0' }],
    ['rediss://mace:p%40ss@cache', { host: 'cache', port: 6379, tls: true, username: 'mace', password: 'p@ss', db: 0 }],
    ['redis://:only@cache', { password: 'only', shown: 'redis://:***@cache:6379/0' }],
  ])('%s is understood', (text, parts) => {
    expect(parseRedisUrl(text)).toMatchObject(parts);
  });

  it.each([
    ['http://cache', 'it is no address of a Redis'],
    ['cache:6379', 'it is no address of a Redis'],
    ['redis:///0', 'it names no host'],
    ['redis://mace@cache', 'it names a user without a password'],
    ['redis://cache/a', 'its database is no number from 0 to 65535'],
    ['redis://cache/99999', 'its database is no number from 0 to 65535'],
    ['redis://cache/0?family=6', 'nothing may follow the database'],
    ['redis://:%zz@cache', 'its user or password has a % that is no escape'],
  ])('%s is refused, with the form it should have', (text, problem) => {
    expect(() => parseRedisUrl(text)).toThrow(new RedisUrlError(problem).message);
    expect(new RedisUrlError(problem).message).toContain('redis://[user:password@]host[:6379][/db]');
  });

  it('never shows the password, nor does what is said of a bad one', () => {
    expect(parseRedisUrl('redis://mace:hunter2@cache').shown).toBe('redis://mace:***@cache:6379/0');
    for (const bad of ['redis://mace:hunter2@cache/a', 'redis://mace:hunter2@cache?x=1', 'redis://:hunter2%@cache']) {
      expect(() => parseRedisUrl(bad)).toThrow(RedisUrlError);
      expect(() => parseRedisUrl(bad)).not.toThrow(/hunter2/);
    }
  });
});
