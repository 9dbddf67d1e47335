import fc from 'fast-check';

import { hostileText, hostileToken, oddText, PROTOTYPE_NAMES } from './hostile-values.js';
import { type Change, HOW, jsonText } from './json-text.js';
import type { Operation, Parameter } from './operations.js';
import { type Drawing, resolved, type Schema, valuesOf } from './schema-values.js';
import { resolvedThings, sameName, Thing } from './things.js';

/** Requests drawn from an operation: as it describes them, with one thing wrong, or hostile in their transport. */

/** One thing that is wrong with a request. */
type Twist =
  | { readonly kind: 'none' }
  | { readonly kind: 'body'; readonly change: Change }
  | { readonly kind: 'path'; readonly at: number; readonly part: string }
  | { readonly kind: 'query'; readonly at: number; readonly how: QueryTwist; readonly text: string }
  | { readonly kind: 'header'; readonly name: string; readonly text: string; readonly twice: boolean }
  | { readonly kind: 'transport'; readonly how: Transport; readonly cut: number };

const QUERY_TWISTS = ['other', 'twice', 'unknown', 'nested', 'malformed', 'named'] as const;
type QueryTwist = (typeof QUERY_TWISTS)[number];

const TRANSPORTS = [
  'other content-type',
  'no content-type',
  'other charset',
  'compressed',
  'no utf-8',
  'a BOM',
  'cut short',
  'too short a length',
  'two lengths',
  'chunked',
  'chunked and cut',
  'a body where none is taken',
  'expectation',
  'no host',
  'other method',
] as const;
type Transport = (typeof TRANSPORTS)[number];

export interface Drawn {
  readonly operation: Operation;
  /** Which of those who call. */
  readonly caller: string;
  readonly path: Readonly<Record<string, unknown>>;
  readonly query: Readonly<Record<string, unknown>>;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly body: unknown;
  readonly asHead: boolean;
  readonly asProblem: boolean;
  readonly twist: Twist;
}

/** What goes over the wire. */
export interface Wire {
  readonly method: string;
  /** As it stands in the request line. */
  readonly target: string;
  readonly headers: readonly (readonly [string, string])[];
  readonly body?: Buffer;
  /** On a connection of its own. */
  readonly alone?: true;
  /** Its sender ends before it is whole: nobody has to answer it. */
  readonly cut?: true;
}

const HEADERS = ['Idempotency-Key', 'If-Match', 'Prefer', 'X-Trace-Id', 'Authorization', 'Accept', 'Cookie', 'Range'];

/** @param bodies what its body is, where that is not drawn from its schema and example */
export function requestsOf(
  operation: Operation,
  callers: readonly string[],
  drawing: Drawing,
  bodies = bodiesOf(operation, drawing),
): fc.Arbitrary<Drawn> {
  const { parameters = [] } = operation;
  const of = (where: string, keepsAll: boolean): fc.Arbitrary<Record<string, unknown>> =>
    parametersOf(
      parameters.filter((one) => one.in === where),
      drawing,
      keepsAll,
    );
  return fc.record({
    operation: fc.constant(operation),
    caller: fc.constantFrom(...callers),
    path: of('path', true),
    query: of('query', false),
    headers: fc.oneof({ weight: 3, arbitrary: fc.constant({}) }, { weight: 2, arbitrary: of('header', false) }),
    body: bodies,
    asHead: operation.method === 'GET' ? rarely : fc.constant(false),
    asProblem: rarely,
    twist: twistsOf(operation),
  });
}

const rarely = fc.integer({ min: 0, max: 15 }).map((one) => one === 15);

function parametersOf(
  parameters: readonly Parameter[],
  drawing: Drawing,
  keepsAll: boolean,
): fc.Arbitrary<Record<string, unknown>> {
  const model = Object.fromEntries(parameters.map(({ name, schema }) => [name, valuesOf(schema, drawing, name)]));
  const required = parameters.filter((one) => one.required).map(({ name }) => name);
  return fc.record(model, { requiredKeys: keepsAll ? Object.keys(model) : required });
}

/** From the schema, from the example, and from both. */
function bodiesOf({ requestBody }: Operation, drawing: Drawing): fc.Arbitrary<unknown> {
  const content = requestBody?.content['application/json'];
  if (!content) return fc.constant(undefined);
  const drawn = valuesOf(content.schema, drawing);
  const { example } = content;
  if (typeof example !== 'object' || example === null) return drawn;
  const shown = fc.nat(1_000).map((nth) => withThings(example, content.schema, drawing, nth));
  const both = fc
    .tuple(shown, drawn, fc.nat(7))
    .map(([one, other, few]) => ({ ...(one as object), ...firstOf(other as object, few % 3) }));
  return fc.oneof({ weight: 4, arbitrary: shown }, { weight: 3, arbitrary: both }, { weight: 3, arbitrary: drawn });
}

function firstOf(value: object, count: number): object {
  return Object.fromEntries(Object.entries(value).slice(0, count));
}

/** What is looked up also where a schema says nothing of an object's members. */
const IN_FREE_OBJECTS = new Set(['otp', 'node_id', 'job_id']);

/** An example whose names are those of things that are there. */
function withThings(value: unknown, schema: Schema | undefined, drawing: Drawing, nth: number, name = ''): unknown {
  const node = schema && resolved(schema, drawing);
  if (node?.enum) return value;
  if (typeof value === 'string') {
    const isLookedUp = drawing.things?.has(sameName(name)) && (node !== undefined || IN_FREE_OBJECTS.has(name));
    return isLookedUp ? new Thing(name, nth, value) : value;
  }
  if (Array.isArray(value)) return value.map((one) => withThings(one, node?.items, drawing, nth, name));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, one]) => [key, withThings(one, node?.properties?.[key], drawing, nth, key)]),
  );
}

function twistsOf({ requestBody, template }: Operation): fc.Arbitrary<Twist> {
  const at = fc.nat(200);
  const kind = <K extends Twist['kind']>(one: K) => fc.constant(one);
  const change = fc.record({
    at,
    how: fc.constantFrom(...HOW),
    token: hostileToken,
    name: fc.oneof(fc.constantFrom<string>(...PROTOTYPE_NAMES, 'unknown'), oddText),
  });
  const part = fc.oneof(
    hostileText.map(encoded),
    fc.constantFrom('%', '%zz', '%c0%ae', '%2f', '..', '%2e%2e', '.', 'a;b', '%ff', '%00', 'x'.repeat(15_000)),
  );
  const body: fc.Arbitrary<Twist> = fc.record({ kind: kind('body'), change });
  const path: fc.Arbitrary<Twist> = fc.record({ kind: kind('path'), at, part });
  const query: fc.Arbitrary<Twist> = fc.record({
    kind: kind('query'),
    at,
    how: fc.constantFrom(...QUERY_TWISTS),
    text: oddText,
  });
  const header: fc.Arbitrary<Twist> = fc.record({
    kind: kind('header'),
    name: fc.constantFrom(...HEADERS),
    text: oddText,
    twice: fc.boolean(),
  });
  const transport: fc.Arbitrary<Twist> = fc.record({
    kind: kind('transport'),
    how: fc.constantFrom(...TRANSPORTS),
    cut: fc.nat(60),
  });
  return fc.oneof(
    { weight: 10, arbitrary: fc.constant<Twist>({ kind: 'none' }) },
    { weight: requestBody ? 8 : 0, arbitrary: body },
    { weight: template.includes('{') ? 3 : 0, arbitrary: path },
    { weight: 2, arbitrary: query },
    { weight: 2, arbitrary: header },
    { weight: 2, arbitrary: transport },
  );
}

/** UTF-8, also of a text that is none: a lone surrogate has the bytes that a careless encoder gives it. */
export function encoded(text: string): string {
  return [...text]
    .map((one) => {
      const code = one.charCodeAt(0);
      if (one.length > 1 || code < 0xd800 || code > 0xdfff) return encodeURIComponent(one);
      return [0xe0 | (code >> 12), 0x80 | ((code >> 6) & 0x3f), 0x80 | (code & 0x3f)]
        .map((byte) => `%${byte.toString(16).toUpperCase()}`)
        .join('');
    })
    .join('');
}

/** What is sent for a drawn request, with its things looked up. */
export function wireOf(drawn: Drawn, token: string | undefined, lookUp: (thing: Thing) => unknown): Wire {
  const { operation, twist, body } = drawn;
  const there = (value: unknown): unknown => resolvedThings(value, lookUp);
  const path = pathOf(operation.template, there(drawn.path) as Record<string, unknown>, twist);
  const query = queryOf(there(drawn.query) as Record<string, unknown>, twist);
  const method = drawn.asHead ? 'HEAD' : operation.method;
  const text = body === undefined ? undefined : jsonText(there(body), twist.kind === 'body' ? twist.change : undefined);
  const headers = [
    ['Host', 'localhost'],
    ...(token === undefined ? [] : [['Authorization', `Bearer ${token}`]]),
    ...(drawn.asProblem ? [['Accept', 'application/problem+json']] : []),
    ...Object.entries(there(drawn.headers) as object).map(([name, value]) => [name, headerText(String(value))]),
  ] as unknown as (readonly [string, string])[];
  const sound: Wire = {
    method,
    target: query === '' ? path : `${path}?${query}`,
    headers,
    ...(text === undefined ? {} : { body: Buffer.from(text) }),
  };
  if (twist.kind === 'header') return { ...sound, headers: twistedHeaders(headers, twist) };
  return twist.kind === 'transport' ? transported(sound, twist) : withLength(sound);
}

function pathOf(template: string, values: Readonly<Record<string, unknown>>, twist: Twist): string {
  const names = [...template.matchAll(/\{([^}]+)\}/g)].map(([, name]) => name!);
  const target = twist.kind === 'path' ? names[twist.at % names.length] : undefined;
  return template.replace(/\{([^}]+)\}/g, (_, name: string) =>
    twist.kind === 'path' && name === target ? twist.part : encoded(String(values[name])),
  );
}

function queryOf(values: Readonly<Record<string, unknown>>, twist: Twist): string {
  const pairs = Object.entries(values).map(([name, value]) => `${encoded(name)}=${encoded(String(value))}`);
  if (twist.kind !== 'query') return pairs.join('&');
  const names = Object.keys(values);
  const name = names[twist.at % names.length] ?? 'limit';
  const text = encoded(twist.text);
  switch (twist.how) {
    case 'other':
      return [...pairs.filter((pair) => !pair.startsWith(`${name}=`)), `${name}=${text}`].join('&');
    case 'twice':
      return [...pairs, ...pairs, `${name}=${text}`].join('&');
    case 'unknown':
      return [...pairs, `unknown=${text}`].join('&');
    case 'nested':
      return [...pairs, `${name}[a]=${text}`, `${name}[]=1`].join('&');
    case 'malformed':
      return [...pairs, `${name}=%`, '%zz=%ff', '&&=&'].join('&');
    case 'named':
      return [...pairs, `${text}=1`].join('&');
  }
}

/** A header's value holds neither controls nor what is above Latin-1; other ends of lines would begin another header. */
function headerText(text: string): string {
  return text.replace(/[^\t\x20-\x7e\x80-\xff]/g, '?');
}

type Headers = readonly (readonly [string, string])[];

function twistedHeaders(headers: Headers, { name, text, twice }: Twist & { kind: 'header' }): Headers {
  const same = ([one]: readonly [string, string]): boolean => one.toLowerCase() === name.toLowerCase();
  const [held] = headers.filter(same);
  const value = headerText(text);
  return twice
    ? [...headers, [name, held?.[1] ?? value], [name, value]]
    : [...headers.filter((header) => !same(header)), [name, value]];
}

const JSON_TYPE = ['Content-Type', 'application/json'] as const;

function withLength(wire: Wire, length = wire.body?.length): Wire {
  if (length === undefined) return wire;
  return { ...wire, headers: [...wire.headers, JSON_TYPE, ['Content-Length', String(length)]] };
}

function transported(sound: Wire, { how, cut }: Twist & { kind: 'transport' }): Wire {
  const body = sound.body ?? Buffer.from('{"a":1}');
  const { headers } = sound;
  const wire = { ...sound, body, alone: true as const };
  const length = ['Content-Length', String(body.length)] as const;
  const added = (...more: Headers): Wire => ({ ...wire, headers: [...headers, ...more] });
  switch (how) {
    case 'other content-type':
      return added(length, ['Content-Type', OTHER_TYPES[cut % OTHER_TYPES.length]!]);
    case 'no content-type':
      return added(length);
    case 'other charset':
      return added(length, ['Content-Type', `application/json; charset=${cut % 2 ? 'utf-16' : 'latin1'}`]);
    case 'compressed':
      return added(length, JSON_TYPE, ['Content-Encoding', cut % 2 ? 'gzip' : 'br']);
    case 'no utf-8':
      return withLength({ ...wire, body: Buffer.concat([Buffer.from([0xff, 0xc0, 0x80]), body]) });
    case 'a BOM':
      return withLength({ ...wire, body: Buffer.concat([Buffer.from('\ufeff'), body]) });
    case 'cut short':
      return { ...withLength(wire, body.length + 1 + cut), cut: true };
    case 'too short a length':
      return withLength(wire, Math.max(0, body.length - 1 - cut));
    case 'two lengths':
      return added(JSON_TYPE, length, ['Content-Length', String(body.length + 1)]);
    case 'chunked':
      return { ...added(JSON_TYPE, ['Transfer-Encoding', 'chunked']), body: chunked(body, true) };
    case 'chunked and cut':
      return { ...added(JSON_TYPE, ['Transfer-Encoding', 'chunked']), body: chunked(body, false), cut: true };
    case 'a body where none is taken':
      return withLength(wire);
    case 'expectation':
      return added(length, JSON_TYPE, ['Expect', cut % 2 ? '100-continue' : 'x-unknown']);
    case 'no host':
      return withLength({ ...wire, headers: headers.filter(([name]) => name !== 'Host') });
    case 'other method':
      return withLength({ ...wire, method: OTHER_METHODS[cut % OTHER_METHODS.length]! });
  }
}

const OTHER_TYPES = [
  'text/plain',
  'application/x-www-form-urlencoded',
  'multipart/form-data',
  'application/json5',
  '/',
];
const OTHER_METHODS = ['OPTIONS', 'TRACE', 'PUT', 'PATCH', 'DELETE', 'PROPFIND', 'get', 'NONE'];

function chunked(body: Buffer, ends: boolean): Buffer {
  const chunk = (part: Buffer): Buffer[] =>
    part.length === 0 ? [] : [Buffer.from(`${part.length.toString(16)}\r\n`), part, Buffer.from('\r\n')];
  const half = body.length >> 1;
  return Buffer.concat([
    ...chunk(body.subarray(0, half)),
    ...chunk(body.subarray(half)),
    Buffer.from(ends ? '0\r\n\r\n' : ''),
  ]);
}
