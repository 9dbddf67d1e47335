/** Requests that put a text into every place of every operation that an OpenAPI document names. */

import { type Schema, type Schemas, withEachMember } from './schema-samples.js';

interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly schema?: { readonly type?: string };
}

export interface Operation {
  readonly operationId?: string;
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: {
    readonly content: Readonly<Record<string, { readonly schema?: Schema; readonly example?: unknown }>>;
  };
}

export interface OpenApiDocument {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components?: { readonly schemas?: Schemas };
}

export interface Attempt {
  /** Which place of which operation. */
  readonly place: string;
  /** What was put there. */
  readonly text: string;
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

const METHODS = ['get', 'head', 'put', 'post', 'patch', 'delete'];
const BODILESS = ['GET', 'HEAD'];
const JSON_TYPE = 'application/json';

/** @param known values of path parameters that lead somewhere, by name */
export function everyEntrance(
  document: OpenApiDocument,
  known: Readonly<Record<string, string>>,
  text: string,
): readonly Attempt[] {
  return Object.entries(document.paths).flatMap(([path, operations]) =>
    METHODS.flatMap((method) => {
      // What GET answers HEAD answers too, though no document names it.
      const operation = operations[method === 'head' ? 'get' : method];
      return operation
        ? attempts(method.toUpperCase(), path, operation, known, text, document.components?.schemas ?? {})
        : [];
    }),
  );
}

function attempts(
  method: string,
  template: string,
  operation: Operation,
  known: Readonly<Record<string, string>>,
  text: string,
  schemas: Schemas,
): Attempt[] {
  const { example, schema = {} } = operation.requestBody?.content[JSON_TYPE] ?? {};
  const hasBody = example !== undefined;
  const path = filled(template, (name) => known[name] ?? 'none');
  const sound = { method, path, headers: {}, ...(hasBody ? { body: JSON.stringify(example) } : {}) };
  const at = (place: string, change: Partial<Attempt>): Attempt => ({
    ...sound,
    text,
    place: `${method} ${template} ${place}`,
    ...change,
  });
  const parameters = operation.parameters ?? [];
  const named = (where: string): readonly string[] => parameters.filter((one) => one.in === where).map((p) => p.name);
  const encoded = encodeURIComponent(text);
  const paths = named('path').map((name) =>
    at(`path.${name}`, { path: filled(template, (one) => (one === name ? text : (known[one] ?? 'none'))) }),
  );
  const queries = [...named('query'), 'unknown'].map((name) =>
    at(`query.${name}`, { path: `${path}?${name}=${encoded}` }),
  );
  // What a request asks for beside it may be what brings a text into the log.
  const flags = parameters.filter((one) => one.in === 'query' && one.schema?.type === 'boolean').map((one) => one.name);
  const flagged = flags.flatMap((flag) =>
    named('query')
      .filter((name) => name !== flag)
      .map((name) => at(`query.${name} with ${flag}`, { path: `${path}?${name}=${encoded}&${flag}=true` })),
  );
  const headers = [...named('header'), 'Authorization', 'User-Agent', 'Cookie', 'Referer', 'X-Forwarded-For'].map(
    (name) => at(`header.${name}`, { headers: { [name]: ascii(text) } }),
  );
  const bodies = hasBody
    ? [
        ...bodiesWith(example, text).map(([place, body]) => at(`body${place}`, { body: JSON.stringify(body) })),
        ...unshownBodies(schema, schemas, example, text).map(([place, body]) =>
          at(`body${place}`, { body: JSON.stringify(body) }),
        ),
        at('a body cut short', { body: `{"${text}": "${text}` }),
        at('a body that is text', { body: text, headers: { 'Content-Type': 'text/plain' } }),
        at('a body of another type', { body: JSON.stringify(text) }),
      ]
    : [at('a body where none is taken', BODILESS.includes(method) ? {} : { body: JSON.stringify({ [text]: text }) })];
  return [...paths, at('query name', { path: `${path}?${encoded}=1` }), ...queries, ...flagged, ...headers, ...bodies];
}

function filled(template: string, value: (name: string) => string): string {
  return template.replace(/\{([^}]+)\}/g, (_, name: string) => encodeURIComponent(value(name)));
}

/** The example with one member that it does not show and the schema allows: the text stands in each of its places. */
function unshownBodies(schema: Schema, schemas: Schemas, example: unknown, text: string): [string, unknown][] {
  return withEachMember(schema, schemas, example).flatMap(([place, put, sample]) =>
    bodiesWith(sample, text, place).map(([inside, member]): [string, unknown] => [inside, put(member)]),
  );
}

/** A body with the text in place of each leaf, beside each member, and as the name of one. */
function bodiesWith(value: unknown, text: string, pointer = ''): [string, unknown][] {
  if (Array.isArray(value)) {
    const items = value as unknown[];
    return items.flatMap((item, i) =>
      bodiesWith(item, text, `${pointer}/${i}`).map(([place, changed]): [string, unknown] => [
        place,
        items.map((one, j) => (j === i ? changed : one)),
      ]),
    );
  }
  if (typeof value !== 'object' || value === null) return [[pointer, text]];
  const members = Object.entries(value);
  return [
    [`${pointer} name`, { ...value, [text]: text }],
    [`${pointer} number`, { ...value, [text]: 1.000_000_000_001 }],
    [`${pointer} more`, { ...value, unknown: { deep: [text] } }],
    ...members.flatMap(([name, member]) =>
      [...bodiesWith(member, text, `${pointer}/${name}`), [`${pointer}/${name}`, text] as [string, unknown]].map(
        ([place, changed]): [string, unknown] => [place, { ...value, [name]: changed }],
      ),
    ),
  ];
}

/** What a header may hold. */
function ascii(text: string): string {
  return text.replace(/[^\x20-\x7e]/g, '');
}
