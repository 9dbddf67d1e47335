import canonicalizeByErdtman from 'canonicalize';
import fc from 'fast-check';
import { canonicalize as canonicalizeByReference } from 'json-canonicalize';
import {
  canonicalCopy,
  canonicalize,
  CanonicalJsonError,
  escapePointer,
  firstInexactNumber,
  MAX_DEPTH,
  quote,
  sameCanonical,
} from './canonical-json.js';
import { round9 } from './rounding.js';

const text = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.string(),
  fc.constantFrom('', '__proto__', 'constructor', '10', '9'),
);
const number = fc.oneof(
  fc.maxSafeInteger(),
  fc.double({ noNaN: true, noDefaultInfinity: true, min: -1e6, max: 1e6 }),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
);
const acceptedNumber = number
  .map((x) => (Number.isInteger(x) ? x : round9(x)))
  .filter((x) => !Number.isInteger(x) || Number.isSafeInteger(x));

/** Whatever the guard accepts and the rounding leaves alone. */
const accepted: fc.Arbitrary<unknown> = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 5 },
    fc.constantFrom(null, true, false),
    acceptedNumber,
    text,
    fc.array(tie('value'), { maxLength: 6 }),
    fc.dictionary(text, tie('value'), { maxKeys: 6 }),
  ),
})).value;

function refusal(value: unknown): { pointer: string; reason: string } {
  try {
    canonicalize(value);
  } catch (error) {
    if (error instanceof CanonicalJsonError) return { pointer: error.pointer, reason: error.reason };
    throw error;
  }
  throw new Error('was accepted');
}

function nested(levels: number): unknown {
  let value: unknown = 1;
  for (let i = 0; i < levels; i++) value = i % 2 === 0 ? [value] : { a: value };
  return value;
}

describe('canonical JSON: vectors of the specification', () => {
  test('keys are sorted and decimals rounded to nine places', () => {
    expect(canonicalize({ b: 2, a: 1, c: [3.1415926535, 'hello'], d: { x: 'y' } })).toBe(
      '{"a":1,"b":2,"c":[3.141592654,"hello"],"d":{"x":"y"}}',
    );
  });

  test.each([
    [0.1 + 0.2, '0.3'],
    [-0, '0'],
    [-1e-10, '0'],
    [1e-9, '1e-9'],
    [Number.MIN_VALUE, '0'],
    [2 ** 53 - 1, '9007199254740991'],
    [-(2 ** 53 - 1), '-9007199254740991'],
    [1.0000000005, '1.000000001'],
  ])('%p is written %s', (value, written) => {
    expect(canonicalize(value)).toBe(written);
  });

  test('text is never normalised', () => {
    expect(canonicalize('A\u030a')).toBe('"A\u030a"');
    expect(canonicalize('\u00c5')).toBe('"\u00c5"');
  });
});

describe('canonical JSON: public vectors of RFC 8785', () => {
  test.each([
    // RFC 8785 section 3.2.2.2 and 3.2.3
    [String.raw`"\u20ac$\u000F\u000aA'\u0042\u0022\u005c\\\"\/"`, String.raw`"€$\u000f\nA'B\"\\\\\"/"`],
    [
      String.raw`{"\u20ac":"Euro Sign","\r":"Carriage Return","\ufb33":"Hebrew Letter Dalet With Dagesh","1":"One","\ud83d\ude00":"Emoji: Grinning Face","\u0080":"Control","\u00f6":"Latin Small Letter O With Diaeresis"}`,
      `{"\\r":"Carriage Return","1":"One","\u0080":"Control","ö":"Latin Small Letter O With Diaeresis","€":"Euro Sign","😀":"Emoji: Grinning Face","\ufb33":"Hebrew Letter Dalet With Dagesh"}`,
    ],
    // cyberphone/json-canonicalization, testdata: arrays, french, structures, unicode, weird
    ['[56,{"d":true,"10":null,"1":[ ]}]', '[56,{"1":[],"10":null,"d":true}]'],
    [
      '{"peach":"This sorting order","péché":"is wrong according to French","pêche":"but canonicalization MUST","sin":"ignore locale"}',
      '{"peach":"This sorting order","péché":"is wrong according to French","pêche":"but canonicalization MUST","sin":"ignore locale"}',
    ],
    [
      String.raw`{"1":{"f":{"f":"hi","F":5},"\n":56.0},"10":{},"":"empty","a":{},"111":[{"e":"yes","E":"no"}],"A":{}}`,
      String.raw`{"":"empty","1":{"\n":56,"f":{"F":5,"f":"hi"}},"10":{},"111":[{"E":"no","e":"yes"}],"A":{},"a":{}}`,
    ],
    [String.raw`{"Unnormalized Unicode":"A\u030a"}`, '{"Unnormalized Unicode":"A\u030a"}'],
    [
      String.raw`{"\u20ac":"Euro Sign","\r":"Carriage Return","\u000a":"Newline","1":"One","\u0080":"Control\u007f","\ud83d\ude02":"Smiley","\u00f6":"Latin Small Letter O With Diaeresis","\ufb33":"Hebrew Letter Dalet With Dagesh","</script>":"Browser Challenge"}`,
      `{"\\n":"Newline","\\r":"Carriage Return","1":"One","</script>":"Browser Challenge","\u0080":"Control\u007f","ö":"Latin Small Letter O With Diaeresis","€":"Euro Sign","😂":"Smiley","\ufb33":"Hebrew Letter Dalet With Dagesh"}`,
    ],
  ])('%s', (input, output) => {
    expect(canonicalize(JSON.parse(input))).toBe(output);
  });

  // RFC 8785 appendix B: those numbers that need no more than nine decimals and lie within +-(2^53-1)
  test.each([
    ['0000000000000000', '0'],
    ['8000000000000000', '0'],
    ['41b3de4355555553', '333333333.3333332'],
    ['41b3de4355555554', '333333333.33333325'],
    ['41b3de4355555555', '333333333.3333333'],
    ['41b3de4355555556', '333333333.3333334'],
    ['41b3de4355555557', '333333333.33333343'],
    ['43143ff3c1cb0959', '1424953923781206.2'],
    ['3eb0c6f7a0b5ed8d', '0.000001'],
  ])('IEEE 754 %s is written %s', (bits, written) => {
    expect(canonicalize(Buffer.from(bits, 'hex').readDoubleBE())).toBe(written);
  });

  test.each(['4340000000000000', '4430000000000000', '44b52d02c7e14af5', '7fffffffffffffff', '7ff0000000000000'])(
    'IEEE 754 %s, beyond 2^53 or no number, is refused',
    (bits) => {
      expect(refusal(Buffer.from(bits, 'hex').readDoubleBE()).pointer).toBe('');
    },
  );
});

describe('canonical JSON: properties', () => {
  test('on what the guard accepts it equals json-canonicalize and canonicalize, byte for byte', () => {
    fc.assert(
      fc.property(accepted, (value) => {
        const written = canonicalize(value);
        expect(written).toBe(canonicalizeByReference(value));
        expect(written).toBe(canonicalizeByErdtman(value));
      }),
      { numRuns: 1000 },
    );
  });

  test('canonical text reads back to the same canonical text', () => {
    fc.assert(fc.property(accepted, (value) => canonicalize(canonicalCopy(value)) === canonicalize(value)));
  });

  test('a copy is what reading the canonical text gives, member for member and in its order, or is refused alike', () => {
    const told = (copied: () => unknown): unknown => {
      try {
        const made = copied();
        return { made, order: JSON.stringify(made) };
      } catch (error) {
        return error instanceof CanonicalJsonError ? error.message : error;
      }
    };
    const any = fc.oneof(accepted, fc.anything({ withNullPrototype: true, withSparseArray: true }));
    fc.assert(
      fc.property(any, (value) => {
        expect(told(() => canonicalCopy(value))).toEqual(told(() => JSON.parse(canonicalize(value))));
      }),
      { numRuns: 1_000 },
    );
  });

  test('keys of objects of any width stand in the order of UTF-16', () => {
    fc.assert(
      fc.property(fc.uniqueArray(fc.string({ maxLength: 4 }), { maxLength: 40 }), (keys) => {
        const written = canonicalize(Object.fromEntries(keys.map((key) => [key, 0])));
        const expected = [...keys].sort().map((key) => `${JSON.stringify(key)}:0`);
        expect(written).toBe(`{${expected.join(',')}}`);
      }),
    );
  });

  test('the order in which keys were added never shows', () => {
    fc.assert(
      fc.property(fc.dictionary(text, accepted), fc.nat(), (object, turn) => {
        const entries = Object.entries(object);
        const cut = entries.length === 0 ? 0 : turn % entries.length;
        const turned = Object.fromEntries([...entries.slice(cut), ...entries.slice(0, cut)].reverse());
        expect(canonicalize(turned)).toBe(canonicalize(object));
      }),
    );
  });

  test('every number within bounds moves by less than 1e-9, and rounding again changes nothing', () => {
    fc.assert(
      fc.property(fc.double({ noNaN: true, min: -1e15, max: 1e15 }), (x) => {
        const written = Number(canonicalize(x));
        expect(Math.abs(written - x)).toBeLessThan(1e-9);
        expect(canonicalize(written)).toBe(canonicalize(x));
      }),
    );
  });

  test('a value is either written or refused with a pointer, whatever it is', () => {
    fc.assert(
      fc.property(fc.anything({ withBigInt: true, withDate: true, withMap: true, withSparseArray: true }), (value) => {
        try {
          JSON.parse(canonicalize(value));
        } catch (error) {
          expect(error).toBeInstanceOf(CanonicalJsonError);
          expect((error as CanonicalJsonError).reason).not.toBe('a value without canonical form');
        }
      }),
    );
  });
});

describe('canonical JSON: what is refused, and where', () => {
  class Money {
    readonly amount = 1;
  }
  const sparse = [1];
  sparse[2] = 3;

  test.each<[string, unknown, string]>([
    ['undefined', { a: undefined }, '/a'],
    ['NaN', { a: [0, NaN] }, '/a/1'],
    ['Infinity', [Infinity], '/0'],
    ['-Infinity', [-Infinity], '/0'],
    ['a bigint', { a: 1n }, '/a'],
    ['a function', { a: () => 1 }, '/a'],
    ['a symbol', { a: Symbol('s') }, '/a'],
    ['a Map', { a: new Map() }, '/a'],
    ['a Set', { a: new Set() }, '/a'],
    ['a Date', { a: new Date(0) }, '/a'],
    ['a Buffer', { a: Buffer.from('x') }, '/a'],
    ['a boxed string', { a: Object('x') }, '/a'],
    ['a sparse array', { a: sparse }, '/a/1'],
    ['an object with toJSON', { a: { toJSON: () => 1 } }, '/a/toJSON'],
    ['an array with toJSON', { a: Object.assign([1], { toJSON: () => 2 }) }, '/a'],
    ['a lone high surrogate in a value', { a: ['x', '\ud800'] }, '/a/1'],
    ['a lone low surrogate in a value', { a: 'x\udc00y' }, '/a'],
    ['a lone surrogate in a key', { '\ud800': 1 }, '/\ud800'],
    ['2^53', { a: 2 ** 53 }, '/a'],
    ['-2^53', { a: -(2 ** 53) }, '/a'],
    ['1e30', { a: 1e30 }, '/a'],
    ['a class instance', { a: new Money() }, '/a'],
    ['an object made from another', { a: Object.create({ b: 1 }) }, '/a'],
    ['nothing at all', undefined, ''],
  ])('%s', (_name, value, pointer) => {
    expect(refusal(value).pointer).toBe(pointer);
  });

  test('the pointer is escaped as RFC 6901 says', () => {
    expect(refusal({ 'a/b': { 'c~d': NaN } }).pointer).toBe('/a~1b/c~0d');
    expect(escapePointer('~1/')).toBe('~01~1');
  });

  test('the first offence in key order is named', () => {
    expect(refusal({ b: NaN, a: 1n })).toEqual({ pointer: '/a', reason: 'a value of type bigint' });
  });

  test('depth 200 is written and depth 201 refused', () => {
    expect(canonicalize(nested(MAX_DEPTH))).toHaveLength(100 * 2 + 100 * 6 + 1);
    expect(refusal(nested(MAX_DEPTH + 1)).reason).toBe('deeper than 200 levels');
    expect(refusal(nested(100_000)).reason).toBe('deeper than 200 levels');
  });

  test('a circle is refused for its depth', () => {
    const circle: Record<string, unknown> = {};
    circle.self = circle;
    expect(refusal(circle).reason).toBe('deeper than 200 levels');
  });

  test('a message names place and reason', () => {
    expect(() => canonicalize({ a: 2 ** 53 })).toThrow('no canonical JSON at "/a": an integer beyond +-(2^53-1)');
  });
});

describe('canonical JSON: keys that are dangerous elsewhere', () => {
  const hostile: unknown = JSON.parse('{"__proto__":{"admin":true},"constructor":1,"a":2}');

  test('an own __proto__ key is a key like another', () => {
    expect(canonicalize(hostile)).toBe('{"__proto__":{"admin":true},"a":2,"constructor":1}');
  });

  test('a copy keeps it as an own key and gains no prototype', () => {
    const copy = canonicalCopy(hostile) as Record<string, unknown>;
    expect(Object.hasOwn(copy, '__proto__')).toBe(true);
    expect(Object.getPrototypeOf(copy)).toBe(Object.prototype);
    expect(copy.admin).toBeUndefined();
  });

  test('an object without prototype is plain', () => {
    expect(canonicalize(Object.assign(Object.create(null), { b: 1, a: 2 }))).toBe('{"a":2,"b":1}');
  });
});

describe('whether two values have one canonical text', () => {
  /** What comparing the texts says: true, false, or the refusal's message. */
  const told = (say: () => boolean): unknown => {
    try {
      return say();
    } catch (error) {
      return error instanceof CanonicalJsonError ? error.message : error;
    }
  };
  const byText = (a: unknown, b: unknown) => told(() => canonicalize(a) === canonicalize(b));

  test('says what comparing the texts says, of any two values', () => {
    fc.assert(
      fc.property(accepted, accepted, (a, b) => {
        expect(sameCanonical(a, b)).toBe(byText(a, b));
        expect(sameCanonical({ a, b: [b] }, { b: [b], a: canonicalCopy(a) })).toBe(true);
      }),
    );
  });

  test.each<[unknown, unknown]>([
    [{ a: 0.1 + 0.2 }, { a: 0.3 }],
    [
      [-0, 1],
      [0, 1],
    ],
    [{ a: 1 }, { a: 1, b: 2 }],
    [{ a: null }, { b: null }],
    [[1], { 0: 1 }],
    [['1'], [1]],
    [false, null],
    [{ toString: 1 }, { a: 1 }],
    [JSON.parse('{"__proto__":1}'), {}],
    [Object.assign(Object.create(null), { a: 1 }), { a: 1 }],
  ])('of %j and %j too', (a, b) => {
    expect(told(() => sameCanonical(a, b))).toBe(byText(a, b));
    expect(told(() => sameCanonical(b, a))).toBe(byText(b, a));
  });

  test.each([
    ['undefined', undefined],
    ['a lone surrogate', '\ud800'],
    ['a key with one', { '\ud800': 1 }],
    ['an unsafe integer', 2 ** 53],
    ['NaN', NaN],
    ['a hole', [, 1]],
    ['a Date', new Date(0)],
    ['toJSON', { toJSON: () => 1 }],
    ['201 levels', nested(MAX_DEPTH + 1)],
  ])('refuses %s as writing it does, also beside itself', (_, value) => {
    expect(told(() => sameCanonical(value, value))).toBe(byText(value, value));
    expect(typeof byText(value, value)).toBe('string');
  });
});

describe('quote', () => {
  test('equals JSON.stringify for every well-formed text', () => {
    fc.assert(fc.property(text, (value) => quote(value) === JSON.stringify(value)));
  });

  test('refuses a lone surrogate', () => {
    expect(() => quote('\udfff')).toThrow(CanonicalJsonError);
  });
});

describe('numbers that a caller may not send', () => {
  test.each<[unknown, string | null]>([
    [{ a: 0.5, b: [1, 1e9, 0.123456789] }, null],
    [{ a: 0.1 + 0.2 }, '/a'],
    [{ a: { 'x/y': [0, 3.1415926535] } }, '/a/x~1y/1'],
    [1e-10, ''],
    [null, null],
    ['3.1415926535', null],
  ])('%p: the first that rounding would change is at %p', (value, pointer) => {
    expect(firstInexactNumber(value)).toBe(pointer);
  });

  test('hostile depth does not exhaust the stack', () => {
    expect(firstInexactNumber(nested(100_000))).toBeNull();
  });
});
