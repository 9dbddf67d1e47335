import { AliasMap, generateCanonicalKey, identityText, readSynonyms, resolveCollision } from '#lib/memory';

/** Seed 001, "Golden Test Specifications", group A. The hashes were computed with Python's hashlib, not with our code. */
describe('canonical keys (seed 001, group A)', () => {
  it('T1_CAN_KEY_USER_SIMPLE: TUFF’s Favorite Color has the seed’s key', () => {
    const key = generateCanonicalKey({
      scope: 'user',
      entityType: 'profile',
      entityIdRaw: null,
      attributeRaw: 'Favorite Color',
      userId: 'TUFF',
    });
    expect(key).toBe('user/profile/user_tuff/favorite_color');
  });

  it('T2_CAN_KEY_SANITIZE: case, blanks, punctuation and diacritics leave no trace in a key', () => {
    const key = (userId: string, attributeRaw: string) =>
      generateCanonicalKey({ scope: 'User ', entityType: 'Profile', userId, attributeRaw });
    expect(key(' TuFf!', 'Favorite--Colour!!')).toBe('user/profile/user_tuff/favorite_colour');
    expect(key('user_tuff', 'Fàvörité  Çolour')).toBe('user/profile/user_tuff/favorite_colour');
  });

  it('T3_CAN_KEY_LONG_SLUG: a title of 200 characters becomes the slug of its first 48 and 8 hex of its SHA-1', () => {
    const title = 'How Blockchain Works: '.repeat(10).slice(0, 200);
    expect(title).toHaveLength(200);
    const key = generateCanonicalKey({
      scope: 'world',
      entityType: 'article',
      entityIdRaw: title,
      attributeRaw: 'summary',
    });
    expect(key).toBe('world/article/how_blockchain_works_how_blockchain_works_how-1b86a399/summary');
    expect(key).toMatch(/^([a-z0-9_]+)\/([a-z0-9_]+)\/([a-z0-9_-]+)\/([a-z0-9_]+)$/);
  });

  it.each([
    ['attribute', '', 'profile', 'user'],
    ['attribute', '!!!', 'profile', 'user'],
    ['entity_type', 'name', '///', 'user'],
    ['scope', 'name', 'profile', 'planet'],
  ])(
    'T4_CAN_KEY_REGEX: an impossible %s is refused and never replaced (case %#)',
    (part, attributeRaw, entityType, scope) => {
      const generate = () =>
        generateCanonicalKey({ scope, entityType, attributeRaw, entityIdRaw: 'x', userId: 'TUFF' });
      expect(generate).toThrow(
        expect.objectContaining({
          code: 'INVALID_INPUT',
          developerMessage: expect.stringMatching(`^${part}: `),
        }) as Error,
      );
    },
  );

  it('T5_SYNONYM_RESOLVE: "fav colour" is TUFF’s favorite color', () => {
    const synonyms = readSynonyms();
    expect(synonyms['fav colour']).toBe('user/profile/{user_id}/favorite_color');
    const aliases = new AliasMap(Object.entries(synonyms));
    expect(aliases.resolveAlias('fav colour', 'user_tuff')).toBe('user/profile/user_tuff/favorite_color');
  });
});

describe('collisions of canonical keys, the rule itself (seed 001, group A)', () => {
  it('T6_COLLISION_DET: a second title with the same slug gets 6 hex of its SHA-1, the same ones every time', () => {
    const [first, second] = ['The Rust Language', 'The Rust Language!'];
    const base = (title: string) =>
      generateCanonicalKey({ scope: 'world', entityType: 'article', entityIdRaw: title, attributeRaw: 'summary' });
    expect(base(first)).toBe('world/article/the_rust_language/summary');
    expect(base(second)).toBe(base(first));

    const register = () => {
      const one = resolveCollision('the_rust_language', first, identityText(first), []);
      const registered = [{ fingerprint: identityText(first), entityId: one.entityId }];
      return [one, resolveCollision('the_rust_language', second, identityText(second), registered)];
    };
    expect(register()).toEqual([
      { entityId: 'the_rust_language', outcome: 'first' },
      { entityId: 'the_rust_language-28a952', outcome: 'collision' },
    ]);
    expect(register()).toEqual(register());
  });
});
