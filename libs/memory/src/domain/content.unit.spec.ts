import type { Json } from '#lib/kernel';

import {
  MAX_NOTES,
  MAX_RECORD_BYTES,
  MAX_TEXT,
  MAX_VALUE_BYTES,
  refuseOversize,
  refuseUnfit,
  type Content,
} from './content.js';

const check = (content: unknown) => () => {
  refuseOversize(content as Content);
  refuseUnfit(content as Content);
};

describe('content', () => {
  it.each<[string, Json]>([
    ['text of exactly 16,000 characters', 'x'.repeat(MAX_TEXT)],
    ['exactly 16,384 bytes', ['x'.repeat(8000), 'x'.repeat(MAX_VALUE_BYTES - 8000 - 7)]],
    ['nested JSON', { a: [1, 2.5, true, null, 'b'] }],
    ['an empty text', ''],
    ['false', false],
    ['0', 0],
  ])('may be %s', (_, value) => {
    expect(check({ value })).not.toThrow();
  });

  it.each<[string, unknown, RegExp]>([
    ['no value', undefined, /value: missing/],
    ['null', null, /null is not a value/],
    ['one character over 16,000', 'x'.repeat(MAX_TEXT + 1), /16001 characters; allowed: 16000/],
    ['one byte over 16,384', ['x'.repeat(8000), 'x'.repeat(MAX_VALUE_BYTES - 8000 - 6)], /16385 bytes/],
    ['wide characters over 16,384 bytes', '€'.repeat(6000), /18002 bytes/],
    ['a number that rounding would change', { pi: 3.14159265358979 }, /value\/pi: a number with more than 9 decimals/],
    ['an integer beyond 2^53', 2 ** 53, /beyond/],
    ['a lone surrogate', ['\ud800'], /value\/0: a lone surrogate/],
    ['the reserved name $enc, however deep', { a: [{ $enc: 1 }] }, /"\$enc" is reserved/],
    ['the reserved name $erased', { $erased: true }, /"\$erased" is reserved/],
    ['more than 200 levels', deep(201), /deeper than 200/],
    ['ten thousand levels', deep(10_000), /deeper than 200/],
    ['NaN', Number.NaN, /NaN/],
  ])('may not be %s', (_, value, message) => {
    expect(check({ value })).toThrow(message);
  });

  it('has notes of at most 512 characters', () => {
    expect(check({ value: 1, notes: 'n'.repeat(MAX_NOTES) })).not.toThrow();
    expect(check({ value: 1, notes: 'n'.repeat(MAX_NOTES + 1) })).toThrow(/513 characters; allowed: 512/);
  });

  it('has a meta that is an object without reserved names, and a record of at most 1 MB', () => {
    expect(check({ value: 1, meta: { locale: 'en' } })).not.toThrow();
    expect(check({ value: 1, meta: [] })).toThrow(/meta: an object/);
    expect(check({ value: 1, meta: { $enc: 1 } })).toThrow(/reserved/);
    expect(check({ value: 1, meta: { text: 'm'.repeat(MAX_RECORD_BYTES) } })).toThrow(/the record/);
  });

  it.each<[string, Json]>([
    ['trust', 0],
    ['trust', 0.7993],
    ['trust', null],
    ['provenance_id', 'a'.repeat(64)],
    ['provenance_id', `am-${'0'.repeat(32)}`],
    ['provenance_id', `job:${'0'.repeat(32)}`],
    ['artifact_url', 'https://files.firm.com/a/b?version=3'],
    ['trusted', 'whatever'],
  ])('may have meta.%s %j', (name, value) => {
    expect(check({ value: 1, meta: { [name]: value } })).not.toThrow();
  });

  it.each<[string, Json, string]>([
    ['trust', 1.1, 'meta.trust: a number from 0 to 1, or null'],
    ['trust', -0.1, 'meta.trust: a number from 0 to 1, or null'],
    ['trust', 'high', 'meta.trust: a number from 0 to 1, or null'],
    ['provenance_id', 'log-1', 'meta.provenance_id: the log_id of a ReflectiveLog, an amendment_id, or '],
    ['provenance_id', null, 'meta.provenance_id: the log_id'],
    ['artifact_url', 'http://files.firm.com/a', 'meta.artifact_url: a URL of scheme https, at most 2048 characters'],
    ['artifact_url', 'https://tuff:secret@files.firm.com/a', 'without user and password'],
    ['artifact_url', `https://files.firm.com/${'a'.repeat(2048)}`, 'meta.artifact_url: '],
    ['artifact_url', 'files.firm.com/a', 'meta.artifact_url: '],
    ['artifact_url', ['https://files.firm.com/a'], 'meta.artifact_url: '],
  ])('may not have meta.%s %j', (name, value, message) => {
    expect(check({ value: 1, meta: { [name]: value } })).toThrow(message);
  });

  it('that is too large is told where to name what is kept elsewhere', () => {
    for (const value of ['x'.repeat(MAX_TEXT + 1), ['x'.repeat(8000), 'x'.repeat(9000)]])
      expect(check({ value })).toThrow('keep a larger artifact elsewhere and name it in meta.artifact_url');
  });

  it('is not repeated by an error of its size', () => {
    expect(check({ value: `123-45-6789${'x'.repeat(MAX_TEXT)}` })).toThrow(/^((?!123-45-6789).)*$/);
  });
});

function deep(levels: number): Json {
  let value: Json = 1;
  for (let i = 0; i < levels; i++) value = [value];
  return value;
}
