/**
 * Why a socket is closed: the codes of graphql-transport-ws, and of RFC 6455 where it has none. The words are these alone,
 * so that nothing of what was sent is repeated.
 */
export const CLOSING = {
  malformed: [4400, 'a message of graphql-transport-ws'],
  unauthenticated: [4401, 'Unauthorized'],
  forbidden: [4403, 'Forbidden'],
  subprotocol: [4406, 'Subprotocol not acceptable: graphql-transport-ws'],
  initTimeout: [4408, 'Connection initialisation timeout'],
  repeatedId: [4409, 'Subscriber already exists'],
  repeatedInit: [4429, 'Too many initialisation requests'],
  stopping: [1001, 'the server stops'],
  slow: [1008, 'slow_reader'],
  fault: [1011, 'a fault inside the server'],
  later: [1013, 'too many sockets or requests, or a store is away; try again later'],
} as const satisfies Readonly<Record<string, readonly [number, string]>>;

export type Closing = keyof typeof CLOSING;
