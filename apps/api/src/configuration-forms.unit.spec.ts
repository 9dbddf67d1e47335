import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import { Ajv } from 'ajv';
import fc from 'fast-check';

import { PROJECT_ROOT } from './configuration-files.js';
import { ConfigurationForms } from './configuration-forms.js';

const CONFIG = join(PROJECT_ROOT, 'config');
const SCHEMAS = join(CONFIG, 'schema');
const NAMES = readdirSync(SCHEMAS).map((file) => file.replace('.schema.json', ''));
const read = (path: string): unknown => JSON.parse(readFileSync(path, 'utf8'));

/** Words that ConfigurationForms reads; another one would be a rule that nobody holds. */
const WORDS = new Set(
  `$ref definitions description type enum minimum maximum minLength maxLength pattern items minItems maxItems
   uniqueItems properties required minProperties maxProperties additionalProperties propertyNames $schema title`.split(
    /\s+/,
  ),
);

/** What the files of the release leave out, and may say. */
const OPTIONAL: Readonly<Record<string, object>> = {
  negotiation: {
    weights: { ann: 2, ben: 0.5 },
    early_decision: true,
    escalation: ['chief'],
    dynamic_quorum: { floor: 2 },
  },
};

describe.each(NAMES)('the schema of %s', (name) => {
  const schema = read(join(SCHEMAS, `${name}.schema.json`));
  const validate = new Ajv({ strictTypes: false }).compile(schema as object);
  const forms = new ConfigurationForms(SCHEMAS);

  it('has no word that is not read', () => {
    expect(wordsOf(schema).filter((word) => !WORDS.has(word))).toEqual([]);
  });

  it('allows what ajv says that it allows, and nothing else', () => {
    const body = { ...(read(join(CONFIG, `${name}.json`)) as object), ...OPTIONAL[name] };
    expect([forms.fault(name, body), validate(body)]).toEqual([null, true]);
    const places = placesIn(body, []);
    const wrong = fc.oneof(
      fc.constantFrom<unknown>(null, true, '', 'x'.repeat(300), [], {}, ['a', 'a'], [''], 0.5, -1, 1e12, 'user_anna'),
      fc.integer(),
      fc.double({ noNaN: true, noDefaultInfinity: true }),
      fc.string(),
    );
    fc.assert(
      fc.property(fc.constantFrom(...places), wrong, fc.constantFrom('set', 'drop', 'add'), (place, value, how) => {
        const changed = change(body, place, value, how);
        expect([changed, forms.fault(name, changed) === null]).toEqual([changed, validate(changed)]);
      }),
      { numRuns: 300 },
    );
  });
});

type Place = readonly (string | number)[];

function wordsOf(schema: unknown): string[] {
  const { properties = {}, definitions = {}, ...own } = schema as Record<string, Record<string, unknown>>;
  const single = [own['items'], own['additionalProperties'], own['propertyNames']].filter(isRecord);
  const below = [...Object.values(properties), ...Object.values(definitions), ...single];
  return [...Object.keys(schema as object), ...below.flatMap(wordsOf)];
}

function placesIn(value: unknown, at: Place): Place[] {
  if (typeof value !== 'object' || value === null) return [at];
  return [at, ...Object.entries(value).flatMap(([name, member]) => placesIn(member, [...at, name]))];
}

function change(body: unknown, [name, ...rest]: Place, value: unknown, how: string): unknown {
  if (name === undefined) return how === 'add' && isRecord(body) ? { ...body, another: value } : value;
  const copy = (Array.isArray(body) ? [...(body as unknown[])] : { ...(body as object) }) as Record<string, unknown>;
  if (rest.length === 0 && how === 'drop' && !Array.isArray(copy)) delete copy[name];
  else copy[name] = change(copy[name], rest, value, how);
  return copy;
}

function isRecord(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
