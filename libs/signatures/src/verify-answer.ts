import { requestComponents, type SignedRequest } from './covered.js';
import type { ResponseKey } from './response-key.js';
import { identifierOf } from './signature-base.js';
import { type AgeLimit, fieldOf, type ReceivedMessage, Unverified, type Verdict, verdictOn } from './signed-message.js';

/** An answer as it was received, and what had been asked. */
export interface ReceivedAnswer extends ReceivedMessage {
  readonly status: number;
  readonly request: SignedRequest & {
    /** `X-Trace-Id` as it was sent; where absent, any trace will do. */
    readonly traceId?: string | undefined;
    /** As `acceptSignature` sent it; where absent, an answer to any request of this method and target will do. */
    readonly nonce?: string | undefined;
  };
}

/**
 * Whether this is what the server answered to this request: the content is the digest's, and the signature covers status,
 * type, trace, method, path and query and was made by one of the keys in its time. Everything else about the answer may
 * have been changed.
 * @param age any age where absent
 */
export function verifyAnswer(answer: ReceivedAnswer, keys: readonly ResponseKey[], age?: AgeLimit): Verdict {
  const ofRequest = requestComponents(answer.request);
  const typed = fieldOf(answer, 'content-type') === undefined ? [] : ['content-type'];
  const ofAnswer = ['@status', 'content-digest', 'x-trace-id', ...typed].map((name) => ({ name }));
  return verdictOn(answer, keys, {
    kind: 'answer',
    derived: { '@status': String(answer.status) },
    ofRequest,
    needed: [...ofAnswer, ...ofRequest].map(identifierOf),
    otherwise: 'answer to this request: method, path, query, status or a header differs',
    age,
    refuse: (parameters) => refuseOthers(answer, parameters.get('nonce')),
  });
}

/** Answers to another request of the same method and target. */
function refuseOthers(answer: ReceivedAnswer, signedNonce: unknown): void {
  const { nonce, traceId } = answer.request;
  if (nonce !== undefined && signedNonce !== nonce)
    throw new Unverified(
      signedNonce === undefined
        ? 'the signature carries no nonce: it answers another request, or the server is of a release before 0.2'
        : 'the signature carries another nonce: it answers another request',
    );
  if (traceId !== undefined && fieldOf(answer, 'x-trace-id') !== traceId)
    throw new Unverified('its X-Trace-Id is not the one that was sent');
}
