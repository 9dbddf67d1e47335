import { MaceError } from '#lib/kernel';

import type { WordedFailure } from '../edge/answer-failure.js';
import type { Given } from '../edge/ask-operation.js';
import type { Operation } from '../edge/operation.js';

/** The arguments of a field as what its operation is told. */

export type Args = Readonly<Record<string, unknown>>;

/** Relay's names of what a page of the REST interface is asked for. */
export const PAGE_NAMES: Readonly<Record<string, string>> = { limit: 'first', cursor: 'after' };
export const INPUT = 'input';
const REST_NAMES: ReadonlyMap<string, string> = new Map(
  Object.entries(PAGE_NAMES).map(([rest, relay]) => [relay, rest]),
);

interface HeaderArgument {
  readonly name: string;
  readonly header: string;
  readonly description: string;
}

const IDEMPOTENCY: HeaderArgument = {
  name: 'idempotency_key',
  header: 'idempotency-key',
  description:
    'The same key for the same mutation is the same command; instead of the header, where there are several.',
};
const IF_MATCH: HeaderArgument = {
  name: 'if_match',
  header: 'if-match',
  description: 'A strong ETag such as "3", several with commas between them, or *.',
};
const PREFER: HeaderArgument = {
  name: 'prefer',
  header: 'prefer',
  description: 'respond-async: answers at once, and the work goes on.',
};

const LAST_EVENT_ID: HeaderArgument = {
  name: 'after',
  header: 'last-event-id',
  description:
    'Where to go on: `resume_after` as it was told, or the `position` of what was had last in this log. What comes after it, without gap or repetition; "0" is before the first.',
};
/** Of a query: it says what the header says. */
const AS_HEADER = 'last_event_id';

/** Members of a query that are no arguments. */
export function isArgument(member: string): boolean {
  return member !== AS_HEADER;
}

/** Arguments that are headers over REST. */
export function headerArguments({ method, doc }: Operation): readonly HeaderArgument[] {
  return [
    ...(method === 'GET' ? [] : [IDEMPOTENCY]),
    ...(doc.headers?.includes('If-Match') ? [IF_MATCH] : []),
    ...(doc.headers?.includes('Prefer') ? [PREFER] : []),
    ...(doc.headers?.includes('Last-Event-ID') ? [LAST_EVENT_ID] : []),
  ];
}

/**
 * @param idempotencyKey of the whole request, for a field that names none of its own
 * @throws MaceError INVALID_INPUT
 */
export function givenOf(operation: Operation, args: Args, idempotencyKey: string | undefined): Given {
  const { pathParts, route, method } = operation;
  const asHeaders = headerArguments(operation);
  const headers = asHeaders.flatMap(({ name, header }) => {
    const value = args[name];
    return typeof value === 'string' ? [[header, value] as const] : [];
  });
  const key = method === 'GET' || idempotencyKey === undefined ? [] : [['idempotency-key', idempotencyKey] as const];
  const { input } = args;
  const isElsewhere = (name: string): boolean =>
    name === INPUT || pathParts.includes(name) || asHeaders.some((header) => header.name === name);
  return {
    params: Object.fromEntries(pathParts.map((part) => [part, pathPart(part, args[part])])),
    query: queryOf(args, isElsewhere),
    body: route.bodyForm === undefined && input === undefined ? undefined : plain(input ?? {}),
    headers: Object.fromEntries([...key, ...headers]),
  };
}

function queryOf(args: Args, isElsewhere: (name: string) => boolean): Record<string, unknown> {
  const given = Object.entries(args).filter(
    ([name, value]) => value !== undefined && value !== null && !isElsewhere(name),
  );
  return Object.fromEntries(given.map(([name, value]) => [REST_NAMES.get(name) ?? name, value]));
}

/** A failure that names a place of the request over REST, with the argument's name in its place. */
export function inArguments(failure: WordedFailure): WordedFailure {
  const { envelope } = failure;
  const message = PLACES.reduce((text, [place, name]) => text.replace(place, name), envelope.developer_message);
  return message === envelope.developer_message
    ? failure
    : { ...failure, envelope: { ...envelope, developer_message: message } };
}

type Naming = readonly [place: RegExp, name: string];
const PLACES: readonly Naming[] = [
  [/^query\.limit(?=[.:])/, 'first'],
  [/^query\.cursor(?=[.:])/, 'after'],
  [/^query\.(?=[a-z_]+[.:])/, ''],
  [/^path, (?=[a-z_]+:)/, ''],
  [/^body(?=[.:/])/, INPUT],
  [/^If-Match(?=:)/, IF_MATCH.name],
  [/^Idempotency-Key(?=:)/, IDEMPOTENCY.name],
];

/** A path over REST has no empty part. */
function pathPart(name: string, value: unknown): string {
  if (typeof value === 'string' && value !== '') return value;
  throw new MaceError('INVALID_INPUT', `${name}: not empty`);
}

/** Objects as JSON.parse makes them: those of GraphQL have no prototype. */
function plain(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, plain(item)]));
}
