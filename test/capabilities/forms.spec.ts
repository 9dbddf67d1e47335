import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { getVariableValues, Kind, parse, validate } from 'graphql';

import { keyFileIn, openKeyFile } from '#lib/access';
import { createClient } from '#lib/client';

import { drawSchema } from '../../apps/api/src/graphql/engine.js';
import { checkLimits } from '../../apps/api/src/graphql/limits.js';
import { mace } from '../../apps/cli/src/testing/mace.js';
import {
  type Asked,
  commandOf,
  type Copy,
  curlOf,
  type Forms,
  graphqlOf,
  type Place,
} from '../../apps/console/src/lib/forms.js';
import { ASKED_ELSEWHERE, WITHOUT_COMMAND, WITHOUT_FIELD } from '../support/capabilities.js';
import { commandForms, sentBy } from '../support/command-forms.js';
import { everyCommand } from '../support/command-line.js';
import { type DescribedDocument, DescribedServer } from '../support/described-server.js';
import { COSTS, graphqlForms } from '../support/graphql-forms.js';
import { resolved, sampleOf, type Schema, type Schemas } from '../support/schema-samples.js';

/**
 * The forms in which the console lets a request be copied. Which field and which command ask for an operation, and what
 * each makes of it, is read off the schema and seen of the commands; each form is then run for what it is to ask for.
 */

const FILE = 'apps/console/src/lib/forms.json';
const SERVER = 'https://example.com/mace';
const KEY = 'k-1';
/** What a shell would run, open, or take for an option. */
const HOSTILE = `-x '$(touch /tmp/evil)' "\`id\`" !! \\ ; # é\u202e\n@/etc/passwd`;

interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly required?: boolean;
  readonly schema: Schema & { readonly pattern?: string };
}
interface Described {
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: {
    readonly content: Readonly<Record<string, { readonly schema: Schema; readonly example?: object }>>;
  };
}
type Document = DescribedDocument & {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Described>>>>;
  readonly components: { readonly schemas: Schemas };
};

const document = JSON.parse(readFileSync('libs/client/openapi.json', 'utf8')) as Document;
const describedBy = (operation: string): Described => {
  const [method = '', path = ''] = operation.split(' ');
  return document.paths[path]![method.toLowerCase()]!;
};

/** What the screens ask for. */
function askedByScreens(): ReadonlySet<string> {
  const folder = 'apps/console/src';
  const texts = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.tsx?$/.test(name) && name !== join('lib', 'session.ts'))
    .map((name) => readFileSync(join(folder, name), 'utf8'));
  const found = texts.flatMap((text) => [...text.matchAll(/['"]((?:GET|POST|PUT|PATCH|DELETE) \/[^'"$]*)['"]/g)]);
  return new Set(
    found
      .map(([, operation]) => operation!)
      .filter((one) => !one.includes('/console/session'))
      .sort(),
  );
}

const operations = askedByScreens();
const schema = drawSchema();
let server: DescribedServer;
let forms: Forms;
let samples: ReadonlyMap<string, ReadonlyMap<Place, unknown>>;

beforeAll(async () => {
  server = await DescribedServer.open(document);
  openKeyFile(keyFileIn(server.folder), { mayDraw: true, production: false, now: Date.now() });
  // What it is that a command finds fault with in a value that is tried.
  const said = jest.spyOn(process.stderr, 'write').mockReturnValue(true);
  const learned = await commandForms(
    server,
    everyCommand().filter(({ name }) => !HERE.test(name)),
    operations,
  );
  said.mockRestore();
  samples = learned.samples;
  const fields = graphqlForms();
  const without = (one: string): string => {
    const by = learned.onTheWay.get(one) ?? ASKED_ELSEWHERE.get(one);
    return (
      WITHOUT_COMMAND.get(one) ??
      (by === undefined ? 'no command asks for it' : `mace ${by} asks for it among other things`)
    );
  };
  forms = Object.fromEntries(
    [...operations].map((one) => [
      one,
      {
        graphql: fields.get(one) ?? WITHOUT_FIELD.get(one) ?? 'it needs no token, and has no field',
        commands: learned.forms.get(one) ?? without(one),
      },
    ]),
  );
}, 120_000);
afterAll(() => server.close());

/** They ask no server, or not this one. */
const HERE =
  /^(?:bench|tour|serve|worker|witness serve|doctor|completion|verify|verify-response|keys .*|.* corpus|backup.*|restore|eventstore.*|migrate|negotiate vote|agents try|console|token|mcp)$/;

it(`stand in ${FILE} as they are (WRITE_CAPABILITIES=1 writes it)`, () => {
  const text = textOfForms();
  if (process.env['WRITE_CAPABILITIES'] !== undefined) writeFileSync(FILE, text);
  expect(readFileSync(FILE, 'utf8')).toBe(text);
});

/** A line for each operation, so that a change shows what it changes. */
function textOfForms(): string {
  const lines = Object.entries(forms).map((entry) => entry.map((part) => JSON.stringify(part)).join(': '));
  return `{\n${lines.join(',\n')}\n}\n`;
}

interface Wanted {
  readonly operation: string;
  readonly request: Asked;
}

/** For each operation one request with the least, one for each thing more that may be asked for, and one with hostile texts. */
function requestsOf(operation: string): readonly Wanted[] {
  const { parameters = [], requestBody } = describedBy(operation);
  const { schema: form, example } = requestBody?.content['application/json'] ?? {};
  const known = samples.get(operation);
  const valueOf = ({ in: place, name, schema: of }: Parameter): unknown =>
    known?.get(`${place}.${name}`) ?? sampleOf(of, document.components.schemas);
  const at = (place: string, change: (one: Parameter) => unknown): Record<string, string> =>
    Object.fromEntries(parameters.filter((one) => one.in === place).map((one) => [one.name, change(one) as string]));
  const isFree = (of: Parameter['schema']): boolean =>
    of.type === 'string' && of.enum === undefined && of.pattern === undefined;
  const key = operation.startsWith('GET') ? {} : { idempotencyKey: KEY };
  const needed = at('query', (one) => (one.required ? valueOf(one) : undefined));
  const least = {
    path: at('path', valueOf),
    ...(Object.values(needed).some((value) => value !== undefined) ? { query: needed } : {}),
    ...(form ? { body: example } : {}),
    ...key,
  };
  const queries = at('query', valueOf);
  const more = Object.entries(queries).flatMap(([name, value]) =>
    (name === 'limit' ? [value, '200'] : [value]).map((one) => ({ ...least, query: { ...needed, [name]: one } })),
  );
  const hostile = at('query', (one) => (isFree(one.schema) ? HOSTILE : needed[one.name]));
  const members = Object.entries(form ? (resolved(form, document.components.schemas).properties ?? {}) : {});
  const bodies = members
    .filter(([name, of]) => isFree(of) && example && name in example)
    .map(([name]) => ({ ...least, body: { ...example, [name]: HOSTILE } }));
  const { required = [] } = (form ? resolved(form, document.components.schemas) : {}) as {
    required?: readonly string[];
  };
  const fewer = Object.keys(example ?? {})
    .filter((name) => !required.includes(name))
    .map((name) => ({ ...least, body: { ...example, [name]: undefined } }));
  return [least, ...more, { ...least, query: hostile }, ...bodies, ...fewer].map((request) => ({ operation, request }));
}

/** What a shell makes of each line: words with one of these between them, lines with two. */
function shellWords(lines: readonly string[]): readonly (readonly string[])[] {
  const script = lines.map((line) => `say ${line}\n`).join('');
  const say = `say() { for word; do printf '%s\\001' "$word"; done; printf '\\002'; }\n`;
  const out = execFileSync('sh', { input: say + script, env: { MACE_TOKEN: 't-o.k.e-n' }, encoding: 'utf8' });
  return out
    .split('\u0002')
    .slice(0, -1)
    .map((line) => line.split('\u0001').slice(0, -1));
}

const textOf = (copy: Copy): string => ('text' in copy ? copy.text : `NONE ${copy.none}`);
const all = (): readonly Wanted[] => [...operations].flatMap(requestsOf);

it('by curl ask for what the console asks for, with a token in place of its cookie', async () => {
  const wanted = all();
  const sent: unknown[] = [];
  const client = createClient({
    server: ({ method, target, headers, body }) => {
      sent.push([method, SERVER + target, body, headers['idempotency-key'], headers['content-type']]);
      return Promise.resolve({
        status: 200,
        headers: { 'content-type': 'application/json' },
        body: new TextEncoder().encode('{}'),
      });
    },
  });
  const words = shellWords(wanted.map(({ operation, request }) => textOf(curlOf(SERVER, operation, request))));
  for (const { operation, request } of wanted) await client.call(operation as 'GET /jobs', request);
  const read = words.map(([program, flags, ...rest]) => {
    expect([program, flags]).toEqual(['curl', expect.stringMatching(/^-sSN?$/)]);
    const after = (flag: string): string | undefined => rest[rest.indexOf(flag) + 1 || rest.length];
    const headers = new Map(
      rest.filter((_, i) => rest[i - 1] === '-H').map((line) => line.split(': ') as [string, string]),
    );
    expect(headers.get('Authorization')).toBe('Bearer t-o.k.e-n');
    const url = rest.find((word) => word.startsWith(SERVER));
    return [after('-X') ?? 'GET', url, after('-d'), headers.get('Idempotency-Key'), headers.get('Content-Type')];
  });
  expect(read).toEqual(sent);
});

it('are documents that the server takes, with variables of the types that it wants', () => {
  const wrong: unknown[] = [];
  let right = 0;
  for (const { operation, request } of all()) {
    const copy = graphqlOf(forms, operation, request);
    if ('none' in copy) {
      if (typeof forms[operation]!.graphql !== 'string') wrong.push([operation, request, copy.none]);
      continue;
    }
    const parsed = parse(copy.text);
    const faults = validate(schema, parsed);
    const [definition] = parsed.definitions;
    if (definition?.kind !== Kind.OPERATION_DEFINITION) throw new Error('no operation');
    const variables = JSON.parse(copy.variables!) as Record<string, unknown>;
    const given = getVariableValues(schema, definition.variableDefinitions ?? [], variables);
    try {
      checkLimits(parsed, variables, COSTS);
    } catch (error) {
      wrong.push([operation, String(error)]);
    }
    if (faults.length > 0 || given.errors) wrong.push([operation, faults, given.errors]);
    else right += 1;
  }
  expect(wrong).toEqual([]);
  expect(right).toBeGreaterThan(300);
});

it('are commands that ask for the same, or say what they have no option for', async () => {
  const said = jest.spyOn(process.stderr, 'write').mockReturnValue(true);
  const wanted = all();
  const copies = wanted.map((one) => ({ ...one, copy: commandOf(forms, one.operation, one.request) }));
  const told = copies.filter(({ copy }) => 'text' in copy);
  const lines = shellWords(told.map(({ copy }) => textOf(copy)));
  const wrong: unknown[] = [];
  for (const [i, { operation, request }] of told.entries()) {
    const [program, ...words] = lines[i]!;
    server.taken();
    const { code, err } = await mace('--data', server.folder, '--json', ...words);
    // What no server would take either.
    if (code === 64 && words.includes(HOSTILE)) continue;
    const asked = server.taken().filter((one) => one.operation === operation);
    const [last] = asked.slice(-1);
    const places = last ? sentBy(last).places : undefined;
    if (program !== 'mace' || !places || !isSame(operation, request, places))
      wrong.push([lines[i]!.join(' '), JSON.stringify(request), JSON.stringify([...(places ?? [])]), code, err]);
  }
  said.mockRestore();
  expect(wrong).toEqual([]);
  const none = copies.flatMap(({ operation, copy }) => ('none' in copy ? [`${operation}: ${copy.none}`] : []));
  expect([...new Set(none)].sort()).toEqual([
    'GET /audit/bundle/{job_id}: mace bundle asks for it among other things',
    'GET /audit/checkpoint/note: for witnesses; `mace checkpoint show` prints the note',
    'GET /audit/consistency: mace checkpoint verify asks for it among other things',
    'GET /audit/proof/{event_id}: mace proof asks for it among other things',
    'GET /events/tail: mace tail has no word for this follow',
    'GET /integrity/verifications/{verification_id}: mace integrity verify asks for it among other things',
    'GET /projections/{name}/reruns/{rerun_id}: mace projections rerun asks for it among other things',
    'GET /replay/halts: mace halts list needs status',
    'POST /module/register: mace modules register has no option for type',
    'POST /replay/request: mace replay needs mode',
  ]);
});

function isSame(operation: string, { path, query, body }: Asked, places: ReadonlyMap<Place, unknown>): boolean {
  const own = forms[operation]!.commands;
  const found = new Set(typeof own === 'string' ? [] : own.flatMap((one) => one.found ?? []));
  const isFree = (place: Place): boolean =>
    place === 'query.limit' || place === 'query.cursor' || place === 'body.idempotency_key' || found.has(place);
  const wanted = Object.entries({ path, query, body }).flatMap(([part, values]) =>
    Object.entries(values ?? {}).map(([name, value]) => [`${part}.${name}`, value] as const),
  );
  // In a URL a number and its text are the same.
  const text = (value: unknown): string => JSON.stringify(value).replace(/^"(.*)"$/, '$1');
  const bare = (list: readonly (readonly [Place, unknown])[]): readonly string[] =>
    list
      .filter(([place, value]) => !isFree(place) && value !== undefined && value !== false)
      .map(([place, value]) => `${place} ${place.startsWith('body') ? JSON.stringify(value) : text(value)}`)
      .sort();
  return JSON.stringify(bare(wanted)) === JSON.stringify(bare([...places]));
}
