import type { components, paths } from './api.js';

/** Types of calls, read off the generated description (api.ts). */

type Verbs = 'get' | 'post' | 'put' | 'patch' | 'delete';
type VerbsOf<P extends keyof paths> = { [V in Verbs]: paths[P][V] extends object ? V : never }[Verbs];

/** Every operation by its method and path: `GET /jobs/{job_id}`. */
export type OperationName = { [P in keyof paths]: `${Uppercase<VerbsOf<P>>} ${P}` }[keyof paths];

type Described<O extends OperationName> = O extends `${infer M} ${infer P}`
  ? P extends keyof paths
    ? Lowercase<M> extends keyof paths[P]
      ? paths[P][Lowercase<M>]
      : never
    : never
  : never;

type Parameters<O extends OperationName, Place extends string> =
  Described<O> extends {
    readonly parameters: { readonly [Q in Place]?: infer Values };
  }
    ? Exclude<Values, undefined>
    : never;

type JsonOf<Response> = Response extends { content: { readonly 'application/json': infer Body } }
  ? Body
  : Response extends { content: infer Contents }
    ? Contents[keyof Contents]
    : never;
type Responses<O extends OperationName> = Described<O> extends { readonly responses: infer All } ? All : never;
type Successes = 200 | 201 | 202;

type JsonUnder<All, Statuses extends PropertyKey> = {
  [S in keyof All & Statuses]: JsonOf<All[S]>;
}[keyof All & Statuses];

/** What an operation answers where nothing fails; several statuses are a union. */
export type AnswerOf<O extends OperationName> = O extends OperationName ? JsonUnder<Responses<O>, Successes> : never;

/** The envelopes that an operation may answer with instead, told apart by `error_code`. */
export type ErrorOf<O extends OperationName> = O extends OperationName
  ? JsonUnder<Responses<O>, Exclude<keyof Responses<O>, Successes>>
  : never;

export type BodyOf<O extends OperationName> =
  Described<O> extends {
    readonly requestBody: { readonly content: { readonly 'application/json': infer Body } };
  }
    ? Body
    : never;

/** An error answer of whatever operation. */
export type Envelope = components['schemas']['ErrorEnvelope'];
export type ErrorCode = Envelope['error_code'];

type IfAny<T, Member> = [T] extends [never] ? unknown : Member;
type Required<O extends OperationName> = IfAny<Parameters<O, 'path'>, { readonly path: Parameters<O, 'path'> }> &
  IfAny<BodyOf<O>, { readonly body: BodyOf<O> }>;

/** What a call may say besides what the operation asks for. */
export interface CallOptions {
  /** Drawn if absent; the same for every try of this call. POST, PUT and DELETE only. */
  readonly idempotencyKey?: string;
  /** 1 to 64 of `A-Za-z0-9._-`. */
  readonly traceId?: string;
  /** The ETag that was read: 412 where the resource has moved on. */
  readonly ifMatch?: string;
  /** POST /jobs: answered at once, and the job goes on. */
  readonly respondAsync?: boolean;
  readonly signal?: AbortSignal;
  /** Milliseconds for all tries together; instead of the client's. */
  readonly timeoutMs?: number;
}

export type RequestOf<O extends OperationName> = Required<O> &
  IfAny<Parameters<O, 'query'>, { readonly query?: Parameters<O, 'query'> }> &
  CallOptions;

/** An operation that needs neither path nor body may be called with its name alone. */
export type ArgumentsOf<O extends OperationName> =
  Record<never, never> extends RequestOf<O> ? [request?: RequestOf<O>] : [request: RequestOf<O>];

/** Operations that answer a page of a list. */
export type ListName = {
  [O in OperationName]: AnswerOf<O> extends { readonly items: readonly unknown[]; readonly next_cursor: string | null }
    ? O
    : never;
}[OperationName];

/** Operations that answer a stream of server-sent events. */
export type StreamName = {
  [O in OperationName]: Described<O> extends {
    readonly responses: { readonly 200: { content: { readonly 'text/event-stream': unknown } } };
  }
    ? O
    : never;
}[OperationName];

/** How a connection is: `open` from its first byte on, `waiting` between two, for so long, and why. */
export type FollowState =
  { readonly state: 'open' } | { readonly state: 'waiting'; readonly reason: string; readonly pauseMs: number };

/** How a stream is followed. */
export interface FollowOptions {
  /** The id of the last event that was had, or "0" for all; from now on where absent. */
  readonly after?: string;
  readonly signal?: AbortSignal;
  readonly traceId?: string;
  /** Told of each connection, and of each wait for the next one. */
  readonly onState?: (state: FollowState) => void;
  /** Told where to go on when that moves without an event: where a stream begins, and past what a filter left out. */
  readonly onId?: (id: string) => void;
}

export type FollowRequest<O extends StreamName> = IfAny<
  Parameters<O, 'path'>,
  { readonly path: Parameters<O, 'path'> }
> &
  IfAny<Parameters<O, 'query'>, { readonly query?: Parameters<O, 'query'> }> &
  FollowOptions;

export type ItemOf<O extends ListName> = AnswerOf<O> extends { readonly items: readonly (infer Item)[] } ? Item : never;
