import { SignInLinks } from './sign-in-links.js';

describe('a link to sign in by', () => {
  const refused = expect.objectContaining({ code: 'UNAUTHENTICATED' }) as Error;

  it('gives its token once', () => {
    const links = new SignInLinks();
    const { code } = links.add('a.b.c', 0);
    expect(links.follow(code, 59_999)).toBe('a.b.c');
    expect(() => links.follow(code, 59_999)).toThrow(refused);
  });

  it('gives nothing after a minute', () => {
    const links = new SignInLinks();
    const { code } = links.add('a.b.c', 0);
    expect(() => links.follow(code, 60_000)).toThrow(refused);
  });

  it('makes room for newer ones, the oldest first', () => {
    const links = new SignInLinks();
    const codes = Array.from({ length: 257 }, (_, i) => links.add(`t${i}`, 0).code);
    expect(() => links.follow(codes[0]!, 1)).toThrow(refused);
    expect(links.follow(codes[1]!, 1)).toBe('t1');
    expect(links.follow(codes[256]!, 1)).toBe('t256');
  });
});
