import { StreamVersions } from './stream-versions.js';

describe('what is known of the versions of streams', () => {
  const versions = (): StreamVersions => new StreamVersions();

  it('is nothing before the file was asked, and then what the file said', () => {
    const known = versions();
    expect(known.get('a')).toBeUndefined();
    known.learn('a', 0);
    expect(known.get('a')).toBe(0);
    expect(known.get('b')).toBeUndefined();
  });

  it('is nothing while an append is under way, whatever the file says meanwhile', () => {
    const known = versions();
    known.learn('a', 3);
    known.appendBegins('a');
    expect(known.get('a')).toBeUndefined();
    known.learn('a', 4);
    expect(known.get('a')).toBeUndefined();
    known.appendEnds('a', 4);
    expect(known.get('a')).toBe(4);
  });

  it('is nothing after an append whose outcome is unknown, until the file is asked again', () => {
    const known = versions();
    known.learn('a', 3);
    known.appendBegins('a');
    known.appendEnds('a');
    expect(known.get('a')).toBeUndefined();
    known.learn('a', 4);
    expect(known.get('a')).toBe(4);
  });

  it('is not taken from answers of appends that overlapped, for nobody says which was the last', () => {
    const known = versions();
    known.appendBegins('a');
    known.appendBegins('a');
    known.appendEnds('a', 2);
    expect(known.get('a')).toBeUndefined();
    known.appendBegins('a');
    known.appendEnds('a', 1);
    known.appendEnds('a', 3);
    expect(known.get('a')).toBeUndefined();
    known.appendBegins('a');
    known.appendEnds('a', 4);
    expect(known.get('a')).toBe(4);
  });

  it('is nothing after it was forgotten, and appends under way are still known to be', () => {
    const known = versions();
    known.learn('a', 3);
    known.appendBegins('b');
    known.forget();
    known.learn('b', 1);
    expect(known.get('a')).toBeUndefined();
    expect(known.get('b')).toBeUndefined();
  });
});
