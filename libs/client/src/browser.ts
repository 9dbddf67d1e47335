import { Calls } from './calls.js';
import type { MaceClient } from './interface.js';
import { fetchStream, fetchTransport } from './transport.js';

export { ApiError, ForeignAnswerError, NoAnswerError } from './errors.js';
export type { FollowedEvent } from './follow.js';
export { sentTarget, targetOf } from './target.js';
export type {
  AnswerOf,
  ArgumentsOf,
  BodyOf,
  Envelope,
  FollowState,
  ItemOf,
  ListName,
  OperationName,
  RequestOf,
} from './types.js';

/**
 * The client of a page that the server itself gave out: it asks that server, and who asks is said by a cookie.
 * @param baseUrl of the server, with the path under which it is reached
 * @param headers of every request
 */
export function createBrowserClient(baseUrl: string, headers: Readonly<Record<string, string>>): MaceClient {
  const [transport, stream] = [fetchTransport(baseUrl), fetchStream(baseUrl)];
  return new Calls({
    server: (request) => transport({ ...request, headers: { ...request.headers, ...headers } }),
    stream: (request) => stream({ ...request, headers: { ...request.headers, ...headers } }),
  });
}
