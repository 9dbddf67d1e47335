import {
  acceptSignature,
  verifyAnswer,
  CLOCK_SKEW_S,
  type KeySource,
  type ReceivedAnswer,
  type ResponseKey,
  TrustedKeys,
  type Verdict,
} from '#lib/signatures';

import { reasonOf, UnverifiedAnswerError } from './errors.js';

/** Verifies answers with keys that were given, or that a source gives and gives anew. */
export class TrustedServer {
  private readonly keys: TrustedKeys;

  constructor(source: readonly ResponseKey[] | KeySource) {
    this.keys = new TrustedKeys(source);
  }

  /** The header that asks for an answer to this very request. */
  asks(nonce: string): string {
    return acceptSignature(nonce);
  }

  /**
   * @param sentAt when the request was sent, milliseconds since the Unix epoch: no older answer is one to it
   * @throws UnverifiedAnswerError where this is not what the server answers to this request
   */
  async verify(answer: ReceivedAnswer, sentAt: number): Promise<void> {
    const now = Date.now();
    const age = { now: seconds(now), maxAgeS: seconds(now - sentAt) + 1 + CLOCK_SKEW_S };
    let verdict: Verdict;
    try {
      verdict = await this.keys.verdict((keys) => verifyAnswer(answer, keys, age), now);
    } catch (error) {
      throw new UnverifiedAnswerError(`the keys to check it with cannot be had (${reasonOf(error)})`, { cause: error });
    }
    if (!verdict.verified) throw new UnverifiedAnswerError(verdict.reason);
  }
}

const seconds = (ms: number): number => Math.floor(ms / 1_000);
