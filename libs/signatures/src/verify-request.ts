import type { ResponseKey } from './response-key.js';
import { derivedOf } from './response-signer.js';
import { identifierOf } from './signature-base.js';
import { type AgeLimit, fieldOf, type ReceivedMessage, type Verdict, verdictOn } from './signed-message.js';

/** A request as it was received. */
export interface ReceivedRequest extends ReceivedMessage {
  readonly method: string;
  /** As the sender called it. */
  readonly url: URL;
}

/**
 * Whether MACE sent this very request: the content is the digest's, and the signature covers method, authority, path,
 * query, type and the named fields, and was made by one of the keys in its time.
 * @param fields names in lower case
 */
export function verifyRequest(
  request: ReceivedRequest,
  keys: readonly ResponseKey[],
  fields: readonly string[],
  age: AgeLimit,
): Verdict {
  const derived = derivedOf(request);
  const typed = fieldOf(request, 'content-type') === undefined ? [] : ['content-type'];
  const needed = [...derived.map(({ name }) => name), ...typed, ...fields, 'content-digest'];
  return verdictOn(request, keys, {
    kind: 'request',
    derived: Object.fromEntries(derived.map(({ name, value }) => [name, value])),
    ofRequest: [],
    needed: needed.map((name) => identifierOf({ name })),
    otherwise: 'request: method, host, path, query or a header differs',
    age,
  });
}
