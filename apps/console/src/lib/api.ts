import {
  QueryCache,
  QueryClient,
  useInfiniteQuery,
  type UseInfiniteQueryResult,
  useQuery,
  type UseQueryResult,
} from '@tanstack/react-query';

import {
  type AnswerOf,
  ApiError,
  type ArgumentsOf,
  createBrowserClient,
  type Envelope,
  ForeignAnswerError,
  type ItemOf,
  type ListName,
  NoAnswerError,
  type OperationName,
  type RequestOf,
  targetOf,
} from '#lib/client/browser';

import { hear } from './clock.js';
import type { Asked } from './forms.js';
import { save } from './save.js';

/** The server that gave out this page, with the path under which it is reached. */
export const SERVER = new URL('..', document.baseURI).href.replace(/\/$/, '');

/** Without it no cookie counts (docs/console.md). */
const HEADERS = { 'x-mace-console': '1' };

/** From then on nothing is asked as somebody else, who may sign in in another tab. */
export function shownTo(user: string): void {
  HEADERS['x-mace-console'] = encodeURIComponent(user);
}

export const client = createBrowserClient(SERVER, HEADERS);

/** Under which name the session is kept: it is asked for again at each answer that says that nobody is signed in. */
export const SESSION = ['GET /auth/session'];

/** A second factor makes the difference (RFC 9470). */
export class NeedsCodeError extends ApiError {}

/** What is in the way ends by itself, in so many seconds. */
export class LaterError extends ApiError {
  constructor(
    envelope: Envelope,
    readonly seconds: string,
  ) {
    super(envelope);
  }
}

/** How often what changes seldom is asked for again. */
const RESTING_MS = 15_000;

/** Milliseconds after which to ask again; false where asking again changes nothing. */
function nextAfter(error: unknown, every: number | undefined): number | false {
  if (every === undefined) return false;
  if (error instanceof LaterError) return Math.max(every, Number(error.seconds) * 1_000);
  return error instanceof ApiError && error.envelope.status < 500 ? false : every;
}

/** Nothing came of the server itself. */
export const isAway = (error: unknown): boolean =>
  error instanceof NoAnswerError || error instanceof ForeignAnswerError;

export const queries = new QueryClient({
  queryCache: new QueryCache({
    onError: (error, { queryKey }) => {
      // Whether it is away altogether is asked once, and told once.
      if (isAway(error) && queryKey !== SESSION) void queries.invalidateQueries({ queryKey: SESSION });
    },
  }),
  defaultOptions: {
    queries: {
      staleTime: 2_000,
      gcTime: 60_000,
      // The client itself tries again where that helps.
      retry: false,
      refetchOnWindowFocus: true,
    },
  },
});

/** An answer with the facts of its transport. */
export interface Read<T> {
  readonly body: T;
  readonly etag: string | undefined;
  readonly traceId: string | undefined;
}

/** @throws ApiError, NoAnswerError, ForeignAnswerError */
export async function read<O extends OperationName>(
  operation: O,
  request: RequestOf<O>,
  signal?: AbortSignal,
): Promise<Read<AnswerOf<O>>> {
  const asked = { timeoutMs: 20_000, ...request, ...(signal ? { signal } : {}) };
  // Whether a request may be left out is known of one operation, not of any.
  const result = await client.call(operation, ...([asked] as unknown as ArgumentsOf<O>));
  hear(result.headers['date']);
  if (!result.ok) throw refused(operation, result.status, result.error, result.headers);
  return { body: result.body, etag: result.etag, traceId: result.traceId };
}

/** An answer that refuses, as what is thrown. */
function refused(
  operation: string,
  status: number,
  envelope: Envelope,
  headers: Readonly<Record<string, string | undefined>>,
): ApiError {
  const later = headers['retry-after'];
  if (later !== undefined) return new LaterError(envelope, later);
  if (headers['www-authenticate']?.includes('insufficient_user_authentication')) return new NeedsCodeError(envelope);
  // Of the session itself this is the answer.
  if (status === 401 && operation !== SESSION[0]) void queries.invalidateQueries({ queryKey: SESSION });
  return new ApiError(envelope);
}

/** @throws ApiError, NoAnswerError, ForeignAnswerError */
async function got(target: string, signal: AbortSignal | null = null): Promise<Response> {
  const path = `GET ${target.split('?')[0]}`;
  const answer = await fetch(SERVER + target, { headers: HEADERS, signal }).catch((cause: Error) => {
    throw signal?.aborted ? cause : new NoAnswerError(`${path}: no answer (${cause.message})`, undefined, { cause });
  });
  if (answer.ok) return answer;
  const envelope = (await answer.json().catch(() => {
    throw new ForeignAnswerError(answer.status, `${path}: an error that has no envelope`);
  })) as Envelope;
  throw refused(path, answer.status, envelope, Object.fromEntries(answer.headers));
}

const targetFor = (operation: OperationName, { path, query }: Asked): string =>
  targetOf(operation.slice('GET '.length), path, query);

/** What a GET answers as its text: no number in it passes through a float. Kept and asked again like `useRead`. */
export function useText<O extends OperationName>(
  operation: O,
  request: RequestOf<O>,
  { enabled = true, every, isRecorded = false }: Reading = {},
): UseQueryResult<string> {
  return useQuery({
    queryKey: [operation, 'text', request],
    queryFn: async ({ signal }) => (await got(targetFor(operation, request), signal)).text(),
    enabled,
    ...freshFor(isRecorded),
    refetchInterval: (query) => nextAfter(query.state.error, every),
  });
}

interface Reading {
  readonly enabled?: boolean;
  /** Milliseconds after which it is asked again, while the page is looked at. */
  readonly every?: number;
  /** Each look is recorded: it is asked for once, and again only after an action. */
  readonly isRecorded?: boolean;
}

/** What was looked at on record is gone with the screen: later it may be erased, and a look is recorded again. */
const freshFor = (isRecorded: boolean): { readonly staleTime?: number; readonly gcTime?: number } =>
  isRecorded ? { staleTime: Infinity, gcTime: 0 } : {};

/**
 * What an operation answers, kept and asked again as `every` says.
 * @param until whether an answer changes seldom from then on: by an erasure, say
 */
export function useRead<O extends OperationName>(
  operation: O,
  request: RequestOf<O>,
  { enabled = true, every, isRecorded = false, until }: Reading & { until?: (answer: AnswerOf<O>) => boolean } = {},
): UseQueryResult<AnswerOf<O>> {
  return useQuery({
    queryKey: [operation, request],
    queryFn: async ({ signal }) => (await read(operation, request, signal)).body,
    enabled,
    ...freshFor(isRecorded),
    refetchInterval: ({ state: { data, error } }) =>
      nextAfter(error, data !== undefined && until?.(data) ? RESTING_MS : every),
  });
}

/** A list, page by page; `fetchNextPage` asks for the next. */
export function useList<O extends ListName>(
  operation: O,
  request: RequestOf<O>,
  { enabled = true, every, isRecorded = false }: Reading = {},
): UseInfiniteQueryResult<readonly ItemOf<O>[]> {
  return useInfiniteQuery({
    queryKey: [operation, 'list', request],
    enabled,
    ...freshFor(isRecorded),
    initialPageParam: undefined as string | undefined,
    queryFn: async ({ pageParam, signal }) => {
      const { query, ...rest } = request as { readonly query?: object };
      const paged = { ...rest, query: { ...query, ...(pageParam === undefined ? {} : { cursor: pageParam }) } };
      return (await read(operation, paged as unknown as RequestOf<O>, signal)).body;
    },
    getNextPageParam: ({ next_cursor: cursor }) => cursor ?? undefined,
    select: ({ pages }) => pages.flatMap(({ items }) => items as readonly ItemOf<O>[]),
    // Only what has one page: the others would be read whole, again and again.
    refetchInterval: ({ state }) => ((state.data?.pages.length ?? 0) <= 1 ? nextAfter(state.error, every) : false),
  });
}

/** Names a request that a screen makes when it is told to, or in another way. */
export function useOffered<O extends OperationName>(operation: O, request: RequestOf<O>): void {
  useQuery({ queryKey: [operation, 'offered', request], queryFn: () => null, staleTime: Infinity });
}

export interface Wanted {
  readonly operation: string;
  readonly request: Asked;
}

/** What the screen asks for as it is, but for the session, each once. */
export function shownReads(): readonly Wanted[] {
  const found = new Map<string, Wanted>();
  for (const { queryKey } of queries.getQueryCache().findAll({ type: 'active' })) {
    const [operation, last] = [String(queryKey[0]), queryKey.at(-1)];
    if (operation === SESSION[0]) continue;
    const request = (typeof last === 'object' ? last : {}) as Asked;
    found.set(JSON.stringify([operation, request]), { operation, request });
  }
  return [...found.values()];
}

/** What is asked for is asked for again: after an action, of everything that is shown. */
export function refresh(): void {
  void queries.invalidateQueries();
}

/**
 * Saves what the interface answers as a file, byte for byte.
 * @throws NoAnswerError, ApiError
 */
export async function download<O extends OperationName>(
  operation: O,
  request: RequestOf<O>,
  name: string,
): Promise<void> {
  const answer = await got(targetFor(operation, request));
  const content = await answer.arrayBuffer();
  save(name, content, answer.headers.get('content-type') ?? 'application/octet-stream');
}
