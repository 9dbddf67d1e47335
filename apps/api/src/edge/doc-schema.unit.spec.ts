import { schemaOfExamples } from './doc-schema.js';

describe('the schema of examples', () => {
  it('requires what every example has, and joins the types of what they differ in', () => {
    expect(schemaOfExamples([{ a: 'x', b: 1 }, { a: null }])).toEqual({
      type: 'object',
      properties: { a: { type: ['string', 'null'] }, b: { type: 'number' } },
      required: ['a'],
      additionalProperties: false,
    });
  });

  it('sees through lists, and says nothing of what was only null', () => {
    expect(schemaOfExamples([{ items: [{ id: 'x' }, { id: 'y', more: true }], none: [], next: null }])).toEqual({
      type: 'object',
      properties: {
        items: {
          type: 'array',
          items: {
            type: 'object',
            properties: { id: { type: 'string' }, more: { type: 'boolean' } },
            required: ['id'],
            additionalProperties: false,
          },
        },
        none: { type: 'array' },
        next: {},
      },
      required: ['items', 'none', 'next'],
      additionalProperties: false,
    });
  });

  it('takes forms that are said by path, also of fields that no example has', () => {
    const forms = { 'items.value': {}, 'error?': { type: 'object' } };
    expect(schemaOfExamples([{ items: [{ value: 'blue' }] }], forms)).toEqual({
      type: 'object',
      properties: {
        items: {
          type: 'array',
          items: { type: 'object', properties: { value: {} }, required: ['value'], additionalProperties: false },
        },
        error: { type: 'object' },
      },
      required: ['items'],
      additionalProperties: false,
    });
  });

  it('says nothing of the members of an object that shows none', () => {
    expect(schemaOfExamples([{ changes: {} }])).toMatchObject({ properties: { changes: { type: 'object' } } });
    expect(schemaOfExamples([{}])).toEqual({ type: 'object' });
  });
});
