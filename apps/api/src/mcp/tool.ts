import { type Json, type JsonObject, MaceError } from '#lib/kernel';

import type { Given } from '../edge/ask-operation.js';
import { schemaOfAnswer } from '../edge/doc-schema.js';
import { DEFINITIONS, schemaOf } from '../edge/dto-schema.js';
import { errorSchemas } from '../edge/openapi-errors.js';
import { type Controller, type Operation, operationOf } from '../edge/operation.js';

/** An operation of REST as a tool: arguments are the parts of its path and the members of its query and body. */
export interface Tool {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly operation: Operation;
  readonly inputSchema: JsonObject;
  readonly outputSchema: JsonObject;
  readonly annotations: Annotations;
  readonly taken: ReadonlyMap<string, Argument>;
  /** Members of the body that no argument chooses. */
  readonly fixed: JsonObject;
}

interface Annotations {
  readonly readOnlyHint: boolean;
  readonly destructiveHint: boolean;
  readonly idempotentHint: boolean;
  readonly openWorldHint: boolean;
}

interface Argument {
  readonly place: 'key' | 'params' | 'query' | 'body' | 'headers';
  /** What stands there over REST. */
  readonly member: string;
  readonly form: JsonObject;
  readonly isRequired: boolean;
}

interface More {
  readonly fixed?: JsonObject;
  /** The name that a part of the path has as an argument. */
  readonly part?: string;
  readonly isDestructive?: boolean;
  /** Whether it may reach agents elsewhere. */
  readonly isOpenWorld?: boolean;
}

/** The four parts of a path that are a key of memory, which an agent is given, and gives, as one text. */
const KEY = 'key';
const KEY_FORM = 'scope/entity_type/entity_id/attribute, such as user/profile/user_tuff/favorite_color';

/** @throws UndeclaredOperationError where the handler does not say who may call it */
export function tool<C extends Controller>(
  name: string,
  controller: C,
  handler: keyof InstanceType<C> & string,
  title: string,
  description: string,
  { fixed = {}, part, isDestructive = false, isOpenWorld = false }: More = {},
): Tool {
  const operation = operationOf(controller, handler);
  const isRead = operation.method === 'GET';
  const taken = new Map(argumentsOf(operation, part).filter(([member]) => !(member in fixed)));
  const annotations = {
    readOnlyHint: isRead,
    destructiveHint: isDestructive,
    idempotentHint: isRead || operation.method === 'PUT',
    openWorldHint: isOpenWorld,
  };
  const schemas = { inputSchema: inputSchema(operation, taken), outputSchema: outputSchema(operation) };
  return { name, title, description, operation, ...schemas, annotations, taken, fixed };
}

/**
 * What the operation is told; what of it is wrong, its form says.
 * @throws MaceError INVALID_INPUT for an argument that there is not, and for one that no form is held to
 */
export function givenOf(
  { operation, taken, fixed }: Tool,
  args: JsonObject,
  idempotencyKey: string | undefined,
): Given {
  const given: Places = { key: {}, params: {}, query: {}, body: { ...fixed }, headers: {} };
  if (idempotencyKey !== undefined && operation.method !== 'GET') given.headers[IDEMPOTENCY_KEY] = idempotencyKey;
  for (const name of Object.keys(args)) {
    const argument = taken.get(name);
    if (!argument) throw unknownArgument(name, taken);
    const value = args[name]!;
    if (value !== null || argument.place === 'body') given[argument.place][argument.member] = value;
  }
  for (const [name, { place, member }] of taken)
    if (place === 'params' || (place === 'headers' && member in given.headers))
      refuseNoText(name, given[place][member]);
  const params = operation.pathParts.includes('entity_id') ? keyParts(given.key[KEY]) : given.params;
  const body = operation.route.bodyForm === undefined ? undefined : given.body;
  return { params: params as Texts, query: given.query, body, headers: given.headers as Texts };
}

type Places = Readonly<Record<Argument['place'], Record<string, Json>>>;
type Texts = Readonly<Record<string, string>>;

/** A failure that names a place of the request over REST, with the argument's name in its place. */
export function inArguments(message: string): string {
  return PLACES.reduce((text, [place, name]) => text.replace(place, name), message);
}

const PLACES: readonly (readonly [RegExp, string])[] = [
  [/^(?:body|query)\.(?=[a-z_]+[.:])/, ''],
  [/^(?:body|query)(?=:)/, 'arguments'],
  [/^path, (?=[a-z_]+:)/, ''],
  [/^If-Match(?=:)/, 'if_match'],
  [/^Idempotency-Key(?=:)/, 'idempotency_key'],
];

function unknownArgument(name: string, taken: Tool['taken']): MaceError {
  const named = /^\w{1,64}$/.test(name) ? ` ${name}` : '';
  const allowed = [...taken.keys()].join(', ') || 'none';
  return new MaceError('INVALID_INPUT', `arguments: unknown argument${named}; allowed: ${allowed}`);
}

function refuseNoText(name: string, value: unknown): void {
  if (typeof value !== 'string' || value === '') throw new MaceError('INVALID_INPUT', `${name}: a text, not empty`);
}

function keyParts(key: unknown): JsonObject {
  const [scope, entity_type, entity_id, attribute, more] = typeof key === 'string' ? key.split('/', 5) : [];
  if (!scope || !entity_type || !entity_id || !attribute || more !== undefined)
    throw new MaceError('INVALID_INPUT', `${KEY}: ${KEY_FORM}`);
  return { scope, entity_type, entity_id, attribute };
}

const IDEMPOTENCY_KEY = 'idempotency-key';
const OF_KEY = {
  place: 'key',
  member: KEY,
  form: { type: 'string', pattern: '^[^/]+/[^/]+/[^/]+/[^/]+$', description: `${KEY_FORM}.` },
  isRequired: true,
} as const;
const ONCE = {
  place: 'headers',
  member: IDEMPOTENCY_KEY,
  form: {
    type: 'string',
    pattern: '^[A-Za-z0-9._:-]{1,128}$',
    description: 'The same key with the same arguments is the same command, however often it is sent.',
  },
  isRequired: false,
} as const;
const IF_UNCHANGED = {
  place: 'headers',
  member: 'if-match',
  form: { type: 'string', description: 'The etag that was read, or *: refused where it changed since.' },
  isRequired: false,
} as const;

/** In the order in which they are shown. */
function argumentsOf(
  { route, pathParts, method }: Operation,
  part: string | undefined,
): readonly (readonly [string, Argument])[] {
  const inPath = pathParts.map((member) => {
    const argument: Argument = {
      place: 'params',
      member,
      form: about(part ?? member, { type: 'string', minLength: 1 }),
      isRequired: true,
    };
    return [part ?? member, argument] as const;
  });
  const inForms = (['query', 'body'] as const).flatMap((place) => {
    const form = place === 'query' ? route.queryForm : route.bodyForm;
    if (!form) return [];
    const { properties, required = [] } = schemaOf(form) as {
      properties: Record<string, JsonObject>;
      required?: string[];
    };
    return Object.entries(properties).map(([member, property]) => {
      const argument: Argument = {
        place,
        member,
        form: about(member, property),
        isRequired: required.includes(member),
      };
      return [member, argument] as const;
    });
  });
  return [
    ...(pathParts.includes('entity_id') ? [[KEY, OF_KEY] as const] : inPath),
    ...inForms,
    ...(method === 'GET' ? [] : [['idempotency_key', ONCE] as const]),
    ...(route.takesIfMatch ? [['if_match', IF_UNCHANGED] as const] : []),
  ];
}

function about(name: string, form: JsonObject): JsonObject {
  const description = ABOUT[name];
  return description === undefined ? form : { ...form, description };
}

function inputSchema({ route }: Operation, taken: Tool['taken']): JsonObject {
  const all = [...taken];
  const properties = Object.fromEntries(all.map(([name, { form }]) => [name, form]));
  const { definitions = {} } = (route.bodyForm ? schemaOf(route.bodyForm) : {}) as { definitions?: JsonObject };
  // The library gives those of every class there is.
  const text = JSON.stringify(properties);
  const reached = Object.entries(definitions).filter(([name]) => text.includes(`"${DEFINITIONS}${name}"`));
  return {
    type: 'object',
    properties,
    required: all.filter(([, { isRequired }]) => isRequired).map(([name]) => name),
    additionalProperties: false,
    ...(reached.length === 0 ? {} : { definitions: Object.fromEntries(reached) }),
  };
}

const ETAG = { etag: { type: ['string', 'null'] } };

/** The answer as REST describes it, with its ETag; what 202 answers is another form of it. */
function outputSchema({ doc }: Operation): JsonObject {
  const usual = schemaOfAnswer(doc);
  const tagged = doc.etag ? { ...usual, properties: { ...(usual['properties'] as JsonObject), ...ETAG } } : usual;
  const schema =
    doc.pending === undefined ? tagged : { type: 'object', anyOf: [tagged, schemaOfAnswer({ answer: doc.pending })] };
  const text = JSON.stringify(schema).replaceAll(COMPONENTS, '#/$defs/');
  if (!text.includes('#/$defs/')) return schema;
  const defs = JSON.parse(JSON.stringify(errorSchemas()).replaceAll(COMPONENTS, '#/$defs/')) as JsonObject;
  return { ...(JSON.parse(text) as JsonObject), $defs: { ErrorEnvelope: defs['ErrorEnvelope']! } };
}

const COMPONENTS = '#/components/schemas/';

/** What arguments are, by name: the comments of the forms are not there at run time. */
const ABOUT: Readonly<Record<string, string>> = {
  query_text: 'The question or the order, in plain language; at most 8,000 characters.',
  user_id: 'Whose it is; oneself where absent. Another than oneself takes rights of its own.',
  job_seed: 'The same seed is the same job.',
  context_tags: 'Texts by name.',
  value: 'Any JSON but null, at most 16,384 bytes.',
  timestamp: 'When it became so, ISO 8601 in UTC; now where absent.',
  notes: 'Where it is from, in a few words.',
  meta: 'More about it; trust, provenance_id and artifact_url have forms of their own.',
  as_of: 'A position of the log: what stood there then.',
  limit: 'How many items at most, up to 200.',
  cursor: 'next_cursor of the page before.',
  job_id: 'As ask answers it.',
  log_id: 'Of the log of a job, as ask answers it.',
  unredacted: 'With what was said; that somebody looked is recorded first.',
  identity_proof: '{"otp": the person’s one-time code}; an admin for another: {"document_ref", "reason"}.',
  mode: 'audit compares with the record; reexecute and production run agents again.',
  kind: 'What is asked for.',
  payload: '{"action": the same as kind, ...} with what the action takes.',
  justification: 'Why it should be done.',
  evidence: 'Ids and keys that support it.',
  request_id: 'As propose and list_decisions name it.',
  proposal_digest: 'As propose and list_decisions name it: what the vote signs.',
  reason: 'Why; without personal data.',
};
