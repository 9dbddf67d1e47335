import fc from 'fast-check';
import { MaceError, sha1Hex } from '#lib/kernel';
import {
  attributeOf,
  formatCanonicalKey,
  generateCanonicalKey,
  identityText,
  parseCanonicalKey,
  principalNormalForm,
  resolveCollision,
  SCOPES,
  type KeyRequest,
} from './canonical-key.js';

const KEY = /^([a-z0-9_]+)\/([a-z0-9_]+)\/([a-z0-9_-]+)\/([a-z0-9_]+)$/;
const text = fc.oneof(fc.string({ unit: 'grapheme', maxLength: 120 }), fc.string({ unit: 'binary', maxLength: 120 }));
const words = fc.stringMatching(/^[A-Za-z ,.'é-]{1,120}$/);

const fact = (change: Partial<KeyRequest> = {}): KeyRequest => ({
  scope: 'world',
  entityType: 'fact',
  entityIdRaw: 'pi value',
  attributeRaw: 'value',
  ...change,
});
const refusal = (run: () => unknown): string => {
  try {
    run();
  } catch (error) {
    if (error instanceof MaceError && error.code === 'INVALID_INPUT') return error.developerMessage;
    throw error;
  }
  throw new Error('nothing was refused');
};

describe('a generated key', () => {
  it('is of key form, or is refused, for every input', () => {
    const part = fc.oneof(text, words);
    const maybe = fc.option(part);
    fc.assert(
      fc.property(
        fc.constantFrom(...SCOPES),
        part,
        maybe,
        part,
        maybe,
        (scope, entityType, entityIdRaw, attributeRaw, userId) => {
          let key;
          try {
            key = generateCanonicalKey({ scope, entityType, entityIdRaw, attributeRaw, userId });
          } catch (error) {
            expect(error).toMatchObject({ code: 'INVALID_INPUT' });
            return;
          }
          expect(key).toMatch(KEY);
          expect(key.split('/').every((one) => one.length >= 1 && one.length <= 64)).toBe(true);
          expect(formatCanonicalKey(parseCanonicalKey(key))).toBe(key);
        },
      ),
    );
  });

  it('takes an id of 48 characters whole, and of 49 as slug and hash', () => {
    const [fits, over] = ['a'.repeat(48), 'a'.repeat(49)];
    expect(generateCanonicalKey(fact({ entityIdRaw: fits }))).toBe(`world/fact/${fits}/value`);
    expect(generateCanonicalKey(fact({ entityIdRaw: over }))).toBe(
      `world/fact/${fits}-${sha1Hex(over).slice(0, 8)}/value`,
    );
  });

  it('measures an id after normalising: 49 raw characters that come to 48 stay whole', () => {
    expect(generateCanonicalKey(fact({ entityIdRaw: `${'a'.repeat(48)}!` }))).toBe(
      `world/fact/${'a'.repeat(48)}/value`,
    );
  });

  it('counts code points for the slug of a long id', () => {
    const raw = `${'𝒂'.repeat(40)}${'b'.repeat(60)}`;
    expect(generateCanonicalKey(fact({ entityIdRaw: raw }))).toBe(
      `world/fact/${'a'.repeat(40)}${'b'.repeat(8)}-${sha1Hex(raw).slice(0, 8)}/value`,
    );
  });

  it('keeps two long attributes apart that begin alike', () => {
    const [one, other] = [`${'long '.repeat(20)}one`, `${'long '.repeat(20)}other`];
    expect(attributeOf(one)).toBe(`${'long_'.repeat(11).slice(0, 54)}_${sha1Hex(one).slice(0, 8)}`);
    expect(attributeOf(one)).not.toBe(attributeOf(other));
    expect(attributeOf('b'.repeat(64))).toBe('b'.repeat(64));
    expect(attributeOf('b'.repeat(65))).toBe(`${'b'.repeat(55)}_${sha1Hex('b'.repeat(65)).slice(0, 8)}`);
  });

  it('is of the user_id for scope user, and takes the raw id only where there is none', () => {
    const profile = { scope: 'user', entityType: 'profile', attributeRaw: 'name' };
    expect(generateCanonicalKey({ ...profile, entityIdRaw: 'somebody', userId: 'TUFF' })).toBe(
      'user/profile/user_tuff/name',
    );
    expect(generateCanonicalKey({ ...profile, entityIdRaw: 'somebody' })).toBe('user/profile/somebody/name');
    expect(generateCanonicalKey(fact({ userId: 'tuff' }))).toBe('world/fact/pi_value/value');
  });

  it.each([
    ['scope', { scope: 'planet' }],
    ['scope', { scope: '' }],
    ['entity_type', { entityType: '---' }],
    ['entity_type', { entityType: 'a'.repeat(65) }],
    ['entity_id', { entityIdRaw: '' }],
    ['entity_id', { entityIdRaw: null }],
    ['entity_id', { scope: 'user' as const, entityIdRaw: null }],
    ['entity_id', { entityIdRaw: '\ud800lone' }],
    ['entity_id', { entityIdRaw: '㎯'.repeat(48) }],
    ['entity_id', { entityIdRaw: 'x'.repeat(1_000_000) }],
    ['attribute', { attributeRaw: '日本' }],
    ['attribute', { attributeRaw: '\u0301\u0316'.repeat(500_000) }],
    ['user_id', { scope: 'user' as const, userId: '' }],
    ['user_id', { scope: 'user' as const, userId: '!!' }],
    ['user_id', { scope: 'user' as const, userId: 'u'.repeat(60) }],
  ])('that lacks a right %s is refused by its name, never given a default (case %#)', (part, change) => {
    const message = refusal(() => generateCanonicalKey(fact(change)));
    expect(message).toMatch(new RegExp(`^${part}: .*allowed: `, 's'));
    expect(message.length).toBeLessThan(300);
  });
});

describe('a parsed key', () => {
  it('gives its four parts', () => {
    expect(parseCanonicalKey('user/profile/user_tuff/favorite_color')).toEqual({
      scope: 'user',
      entityType: 'profile',
      entityId: 'user_tuff',
      attribute: 'favorite_color',
    });
  });

  it.each([
    '',
    'user/profile/user_tuff',
    'user/profile/user_tuff/favorite_color/x',
    'user/profile//x',
    'User/profile/user_tuff/x',
    'user/profile/user_tuff/favorite-color',
    'user/pro-file/user_tuff/x',
    'user/profile/user_tuff/x\n',
    ' user/profile/user_tuff/x',
    'user/profile/../x',
    'planet/fact/pi/value',
    `world/fact/${'a'.repeat(65)}/value`,
    `world/${'t'.repeat(65)}/a/value`,
    'x'.repeat(1_000_000),
  ])('that is not exactly one is refused (case %#)', (key) => {
    expect(refusal(() => parseCanonicalKey(key))).toContain('allowed: ');
  });
});

describe('a principal', () => {
  it.each([
    ['TUFF', 'user_tuff'],
    ['user_tuff', 'user_tuff'],
    ['User Tuff', 'user_tuff'],
    [' TuFf!', 'user_tuff'],
    ['user', 'user_user'],
    ['user_', 'user_user'],
    ['a'.repeat(59), `user_${'a'.repeat(59)}`],
    [`user_${'a'.repeat(59)}`, `user_${'a'.repeat(59)}`],
  ])('%j is %j', (raw, form) => {
    expect(principalNormalForm(raw)).toBe(form);
  });

  it('has one form only: the form of the form is the form', () => {
    fc.assert(
      fc.property(fc.stringMatching(/^[A-Za-z0-9 _.-]{0,40}[a-z0-9]$/), (raw) => {
        const form = principalNormalForm(raw);
        expect(principalNormalForm(form)).toBe(form);
        expect(form).toMatch(/^user_[a-z0-9_]{1,59}$/);
      }),
    );
  });

  it.each(['', '  ', '!!!', 'Ж', 'a'.repeat(60), `a${' '.repeat(64)}`, '\udc00a', 'a'.repeat(1_000_000)])(
    'that is nothing, too long or not Unicode is refused (case %#)',
    (raw) => {
      expect(refusal(() => principalNormalForm(raw))).toMatch(/^user_id: /);
    },
  );
});

describe('an identity', () => {
  it('is the same in other case, other composition and with blanks around it', () => {
    expect(identityText('  CAFE\u0301 ')).toBe(identityText('café'));
    expect(identityText('C++')).not.toBe(identityText('C#'));
  });

  it('of a million characters is refused', () => {
    expect(refusal(() => identityText('\u0301\u0316'.repeat(500_000)))).toMatch(/^entity_id: /);
  });

  it('that comes first keeps the plain id, and every other one its own suffix, for good', () => {
    const first = resolveCollision('c', 'C', 'f1', []);
    const second = resolveCollision('c', 'C++', 'f2', [{ fingerprint: 'f1', entityId: first.entityId }]);
    expect(first).toEqual({ entityId: 'c', outcome: 'first' });
    expect(second).toEqual({ entityId: `c-${sha1Hex('C++').slice(0, 6)}`, outcome: 'collision' });

    const registered = [
      { fingerprint: 'f1', entityId: first.entityId },
      { fingerprint: 'f2', entityId: second.entityId },
    ];
    expect(resolveCollision('c', 'c', 'f1', registered)).toEqual({ entityId: 'c', outcome: 'known' });
    expect(resolveCollision('c', ' c++', 'f2', registered)).toEqual({ ...second, outcome: 'known' });
    expect(resolveCollision('c', 'C#', 'f3', registered)).toEqual({
      entityId: `c-${sha1Hex('C#').slice(0, 6)}`,
      outcome: 'collision',
    });
  });

  it('has an id of at most 64 characters, with the suffix too', () => {
    const others = [{ fingerprint: 'f0', entityId: 'other' }];
    fc.assert(
      fc.property(fc.stringMatching(/^[a-z][a-z0-9_-]{0,63}$/), text, (base, raw) => {
        fc.pre(!/\p{Surrogate}/u.test(raw));
        const { entityId } = resolveCollision(base, raw, 'f1', others);
        expect(entityId).toMatch(/^[a-z0-9_-]{1,64}$/);
        expect(entityId.endsWith(`-${sha1Hex(raw).slice(0, 6)}`)).toBe(true);
      }),
    );
  });

  it('is refused where even its suffix belongs to another', () => {
    const registered = [
      { fingerprint: 'f1', entityId: 'c' },
      { fingerprint: 'f2', entityId: `c-${sha1Hex('C#').slice(0, 6)}` },
    ];
    expect(() => resolveCollision('c', 'C#', 'f3', registered)).toThrow(
      expect.objectContaining({ code: 'CONFLICT' }) as Error,
    );
  });
});
