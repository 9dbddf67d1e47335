import type { KeySource, ResponseKey } from './response-key.js';
import type { Verdict } from './signed-message.js';

/** How long keys are kept: what was revoked or rotated away is trusted no longer than this. */
const KEEP_MS = 600_000;

/** Keys that were given, or that a source gives: at the first message, at one of a key that is unknown, and after ten minutes. */
export class TrustedKeys {
  private kept: { readonly keys: Promise<readonly ResponseKey[]>; readonly at: number } | undefined;

  /** @param apartMs how long an unknown key does not ask the source again, where anybody may name keys */
  constructor(
    private readonly source: readonly ResponseKey[] | KeySource,
    private readonly apartMs = 0,
  ) {}

  /** @param now milliseconds since the Unix epoch @throws what the source throws */
  async verdict(check: (keys: readonly ResponseKey[]) => Verdict, now: number): Promise<Verdict> {
    const verdict = check(await this.keys(now - KEEP_MS, now));
    // The server may have another key by now.
    if (verdict.verified || !verdict.unknownKey || typeof this.source !== 'function') return verdict;
    return check(await this.keys(now - this.apartMs, now));
  }

  /** Keys that were asked for at that time or later; several messages ask once. */
  private async keys(since: number, now: number): Promise<readonly ResponseKey[]> {
    if (typeof this.source !== 'function') return this.source;
    if (!this.kept || this.kept.at < since) this.kept = { keys: this.source(), at: now };
    const { keys } = this.kept;
    try {
      return await keys;
    } catch (error) {
      if (this.kept?.keys === keys) this.kept = undefined;
      throw error;
    }
  }
}
