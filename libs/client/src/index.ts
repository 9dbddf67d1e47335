export type { KeySource, ResponseKey } from '#lib/signatures';
export type { components, operations, paths } from './api.js';
export { createClient } from './client.js';
export {
  ApiError,
  ForeignAnswerError,
  isEnvelope,
  NoAnswerError,
  REMEDIES,
  UnverifiedAnswerError,
  type Remedy,
} from './errors.js';
export type { FollowedEvent } from './follow.js';
export type { ClientOptions, MaceClient, Result, UntypedAnswer, UntypedCall } from './interface.js';
export { publishedKeys } from './published-keys.js';
export {
  fetchTransport,
  type StreamTransport,
  type Transport,
  type WireAnswer,
  type WireRequest,
} from './transport.js';
export { socketStream, socketTransport } from './socket-transport.js';
export type {
  AnswerOf,
  BodyOf,
  CallOptions,
  Envelope,
  ErrorCode,
  ErrorOf,
  FollowState,
  ItemOf,
  OperationName,
  StreamName,
} from './types.js';
export { unwrap } from './unwrap.js';
