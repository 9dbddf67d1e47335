import { MongoUrlError, parseMongoUrl } from './url.js';

describe('a connection string of MongoDB', () => {
  it('is shown without the password, and names its database, mace where it names none', () => {
    const url = 'mongodb://me:s%40cret@a.internal:27017,b.internal/models?replicaSet=rs0&tls=true';
    expect(parseMongoUrl(url)).toMatchObject({
      url,
      shown: 'mongodb://me:***@a.internal:27017,b.internal/models?replicaset=rs0&tls=true',
      database: 'models',
    });
    expect(parseMongoUrl('mongodb://127.0.0.1').database).toBe('mace');
    expect(parseMongoUrl('mongodb+srv://me:x@cluster.internal/').database).toBe('mace');
    expect(parseMongoUrl('mongodb://[::1]:27017/x').database).toBe('x');
  });

  it.each([
    ['another scheme', 'http://me:secret@host/mace', 'no connection string of MongoDB'],
    ['no host', 'mongodb://', 'no connection string of MongoDB'],
    ['no user before the @', 'mongodb://:secret@host', 'before the @'],
    ['a password that is not encoded', 'mongodb://me:sec%ret@host', 'percent-encoded'],
    ['a port beyond all', 'mongodb://me:secret@host:70000', 'a port from 1 to 65535'],
    ['a database with a dot', 'mongodb://me:secret@host/a.b', 'the database is'],
    ['an option that nobody knows', 'mongodb://me:secret@host/?fast=true', 'its option fast is none of'],
    ['writes that may be lost', 'mongodb://me:secret@host/?w=1', 'its option w has the form'],
    ['writes without a journal', 'mongodb://me:secret@host/?journal=false', 'its option journal'],
    ['reads that may be behind', 'mongodb://me:secret@host/?readPreference=nearest', 'its option readPreference'],
    ['certificates of anybody', 'mongodb://me:secret@host/?tlsInsecure=true', 'its option tlsInsecure is none of'],
    ['calls that may hang', 'mongodb://me:secret@host/?socketTimeoutMS=0', 'its option socketTimeoutMS'],
  ])('with %s is refused, without its password', (_, url, problem) => {
    const parse = (): unknown => parseMongoUrl(url);
    expect(parse).toThrow(MongoUrlError);
    expect(parse).toThrow(problem);
    expect(parse).not.toThrow(/secret|sec%ret/);
  });
});
