import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import fc from 'fast-check';

import { type HOW, jsonText } from './json-text.js';
import { type Schema, valuesOf } from './schema-values.js';
import { resolvedThings, Thing, Things } from './things.js';

const schemas: Record<string, Schema> = {
  Colour: { type: 'string', enum: ['red', 'green'] },
  Tree: {
    type: 'object',
    required: ['colour'],
    additionalProperties: false,
    properties: {
      colour: { $ref: '#/components/schemas/Colour' },
      left: { $ref: '#/components/schemas/Tree' },
      right: { $ref: '#/components/schemas/Tree' },
    },
  },
};

const FORMS: readonly (readonly [string, Schema])[] = [
  ['a text of some length', { type: 'string', minLength: 3, maxLength: 9 }],
  ['a text of a pattern', { type: 'string', pattern: '^"(0|[1-9][0-9]{0,14})"$' }],
  ['a text of a pattern and a length', { type: 'string', pattern: '^[a-z]+$', maxLength: 4 }],
  ['a time', { type: 'string', format: 'date-time' }],
  ['a whole number within bounds', { type: 'integer', minimum: 1, maximum: 200 }],
  ['a whole number of any size', { type: 'integer', minimum: 0, maximum: Number.MAX_SAFE_INTEGER }],
  ['a number beyond a bound', { type: 'number', exclusiveMinimum: 0, maximum: 1 }],
  ['one of some', { enum: ['a', 7, null] }],
  ['one alone', { const: { a: [1] } }],
  ['one of several types', { type: ['string', 'null'], maxLength: 2 }],
  [
    'one of several forms',
    { oneOf: [{ type: 'boolean' }, { type: 'array', items: { type: 'integer' }, minItems: 2 }] },
  ],
  ['all of several forms', { allOf: [{ $ref: '#/components/schemas/Tree' }, { type: 'object', required: ['left'] }] }],
  ['anything but null', { not: { type: 'null' } }],
  ['a list without repetition', { type: 'array', items: { type: 'boolean' }, uniqueItems: true }],
  ['members of any name', { type: 'object', additionalProperties: { type: 'integer' } }],
  ['no members', { type: 'object', properties: {}, additionalProperties: false }],
  ['what refers to itself', { $ref: '#/components/schemas/Tree' }],
];

const ajv = new Ajv2020({ strict: false });
addFormats.default(ajv);

function validatorOf(schema: Schema) {
  const text = JSON.stringify({ ...schema, components: { schemas } });
  return ajv.compile(JSON.parse(text) as object);
}

describe('values that are drawn from a schema', () => {
  it.each(FORMS)('satisfy it: %s', (_, schema) => {
    const validate = validatorOf(schema);
    fc.assert(
      fc.property(valuesOf(schema, { schemas }), (value) => {
        expect([value, validate(value), validate.errors]).toEqual([value, true, null]);
      }),
    );
  });

  it('are refused for a reference that leads nowhere', () => {
    expect(() => valuesOf({ $ref: '#/components/schemas/Nothing' }, { schemas })).toThrow('is no schema');
  });

  it('name things that are there, together those that were found together', () => {
    const things = new Things({}, []);
    things.learn({ items: [{ request_id: 'ar-1', proposal_digest: 'd1' }] }, 'tuff');
    things.learn({ items: [{ request_id: 'ar-2', proposal_digest: 'd2' }] }, 'tuff');
    const schema: Schema = {
      properties: { id: { type: 'string' }, proposal_digest: { type: 'string' } },
      required: ['id', 'proposal_digest'],
    };
    const named = new Set(['id', 'proposal_digest']);
    const pairs = fc
      .sample(valuesOf(schema, { schemas, things: named }), 200)
      .filter((value) => Object.values(value as object).every((one) => one instanceof Thing))
      .map((value) => JSON.stringify(resolvedThings(value, things.lookUp('tuff'))));
    expect(new Set(pairs)).toEqual(
      new Set(['{"id":"ar-1","proposal_digest":"d1"}', '{"id":"ar-2","proposal_digest":"d2"}']),
    );
  });
});

describe('a JSON text with a change', () => {
  const value = { a: 'x', b: [1, { c: null }] };

  it('is what JSON says without one', () => {
    fc.assert(fc.property(fc.jsonValue(), (one) => expect(jsonText(one)).toBe(JSON.stringify(one))));
  });

  it('differs from it in the place that was asked for', () => {
    const at = (place: number, how: (typeof HOW)[number]) =>
      jsonText(value, { at: place, how, token: '1e400', name: '__proto__' });
    expect([at(0, 'replace'), at(1, 'replace'), at(3, 'replace')]).toEqual([
      '1e400',
      '{"a":1e400,"b":[1,{"c":null}]}',
      '{"a":"x","b":[1e400,{"c":null}]}',
    ]);
    expect([at(0, 'drop'), at(1, 'drop'), at(3, 'drop')]).toEqual([
      '',
      '{"b":[1,{"c":null}]}',
      '{"a":"x","b":[{"c":null}]}',
    ]);
    expect(at(1, 'twice')).toBe('{"a":"x","a":"x","b":[1,{"c":null}]}');
    expect(at(1, 'rename')).toBe('{"__proto__":"x","b":[1,{"c":null}]}');
    expect(at(4, 'add')).toBe('{"a":"x","b":[1,{"c":null,"__proto__":1e400}]}');
    expect(at(1, 'spell')).toBe('{"a":"X","b":[1,{"c":null}]}');
  });
});
