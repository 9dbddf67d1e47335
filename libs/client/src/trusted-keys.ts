import {
  acceptSignature,
  verifyAnswer,
  CLOCK_SKEW_S,
  type ReceivedAnswer,
  type ResponseKey,
  type Verdict,
} from '#lib/signatures';

import { reasonOf, UnverifiedAnswerError } from './errors.js';

/** Gives the keys that a server signs with now; asked at the first answer, and again as `ClientOptions.verify` says. */
export type KeySource = () => Promise<readonly ResponseKey[]>;

/** How long keys are kept: what was revoked or rotated away is trusted no longer than this. */
const KEEP_MS = 600_000;

/** Verifies answers with keys that were given, or that a source gives and gives anew. */
export class TrustedKeys {
  private kept: { readonly keys: Promise<readonly ResponseKey[]>; readonly at: number } | undefined;

  constructor(private readonly source: readonly ResponseKey[] | KeySource) {}

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
    let verdict: Verdict = verifyAnswer(answer, await this.keys(now - KEEP_MS), age);
    // The server may have another key by now.
    if (!verdict.verified && verdict.unknownKey && typeof this.source === 'function')
      verdict = verifyAnswer(answer, await this.keys(now), age);
    if (!verdict.verified) throw new UnverifiedAnswerError(verdict.reason);
  }

  /** Keys that were asked for at that time or later; several calls ask once. @throws UnverifiedAnswerError */
  private async keys(since: number): Promise<readonly ResponseKey[]> {
    if (typeof this.source !== 'function') return this.source;
    if (!this.kept || this.kept.at < since) this.kept = { keys: this.source(), at: Date.now() };
    const { keys } = this.kept;
    try {
      return await keys;
    } catch (error) {
      if (this.kept?.keys === keys) this.kept = undefined;
      throw new UnverifiedAnswerError(`the keys to check it with cannot be had (${reasonOf(error)})`, { cause: error });
    }
  }
}

const seconds = (ms: number): number => Math.floor(ms / 1_000);
