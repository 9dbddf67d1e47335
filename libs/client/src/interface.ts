import type { KeySource, ResponseKey } from '#lib/signatures';

import type { FollowedEvent } from './follow.js';
import type { StreamTransport, Transport } from './transport.js';
import type {
  AnswerOf,
  ArgumentsOf,
  CallOptions,
  ErrorOf,
  FollowOptions,
  FollowRequest,
  ItemOf,
  ListName,
  OperationName,
  StreamName,
} from './types.js';

/** What a client is to whoever calls it. */

export interface ClientOptions {
  /** `http://127.0.0.1:3000`; or a transport of one's own. */
  readonly server: string | Transport;
  /** How streams are followed, where `server` is a transport of one's own. */
  readonly stream?: StreamTransport;
  /** A bearer token, or what gives the one that is valid now; absent where the transport needs none. */
  readonly token?: string | (() => string | Promise<string>) | undefined;
  /** For all tries of a call together; 60,000 ms if absent. */
  readonly timeoutMs?: number;
  /** How often a call is made at most; 4 if absent, 1 for never again. */
  readonly tries?: number;
  /**
   * Refuses answers that the server did not give to this very request, or that it signed more than five minutes
   * (`CLOCK_SKEW_S`) before it was sent or after now. Keys that are given stay what they are; a source is asked at the
   * first answer, at one of a key that is not known, and after ten minutes (`publishedKeys`).
   */
  readonly verify?: readonly ResponseKey[] | KeySource;
}

export interface Facts {
  readonly status: number;
  /** For `ifMatch`; of single resources only. */
  readonly etag: string | undefined;
  readonly traceId: string | undefined;
  /** Of POST, PUT and DELETE. */
  readonly idempotencyKey: string | undefined;
  readonly headers: Readonly<Record<string, string>>;
}

/** What came of a call: `ok` tells an answer from an error, `error.error_code` tells the errors apart. */
export type Result<O extends OperationName> =
  | (Facts & { readonly ok: true; readonly body: AnswerOf<O> })
  | (Facts & { readonly ok: false; readonly error: ErrorOf<O> });

/** A call whose operation only the running program knows. */
export interface UntypedCall extends CallOptions {
  readonly method: string;
  /** Path and query, as they are sent. */
  readonly target: string;
  readonly body?: unknown;
  /** Besides those that the client sends, and instead of them where they have a name in common. In small letters. */
  readonly headers?: Readonly<Record<string, string>>;
}

export interface UntypedFollow extends FollowOptions {
  readonly headers?: Readonly<Record<string, string>>;
}

/** The answer to one, parsed. */
export interface UntypedAnswer extends Facts {
  readonly body: unknown;
}

export interface MaceClient {
  /**
   * @throws NoAnswerError, UnverifiedAnswerError, ForeignAnswerError; the signal's reason where that ended it. Never for
   *   an error that the server answers with.
   */
  call<O extends OperationName>(operation: O, ...request: ArgumentsOf<O>): Promise<Result<O>>;
  /** The pages of a list, as they are asked for. @throws ApiError besides what `call` throws, TypeError for what is no list */
  pages<O extends ListName>(operation: O, ...request: ArgumentsOf<O>): AsyncGenerator<AnswerOf<O>, void>;
  /** The items of all pages. @throws as `pages` */
  items<O extends ListName>(operation: O, ...request: ArgumentsOf<O>): AsyncGenerator<ItemOf<O>, void>;
  /**
   * The events of a stream as they come, over reconnects and restarts of the server: none twice, none left out; `closed` is
   * the last. Streams are not signed.
   * @throws ApiError where it is refused, NoAnswerError where it does not come back, ForeignAnswerError, TypeError for an
   *   `after` that is no id; the signal's reason
   */
  follow<O extends StreamName>(operation: O, request: FollowRequest<O>): AsyncGenerator<FollowedEvent, void>;
  /** @throws as `call` */
  send(call: UntypedCall): Promise<UntypedAnswer>;
  /** The same for a path that only the running program knows. @throws as `follow` */
  followTarget(target: string, options: UntypedFollow): AsyncGenerator<FollowedEvent, void>;
}
