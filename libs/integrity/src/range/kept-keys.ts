import { UNWRAPPED_KEY_MS } from '#lib/event-store';

import type { DataKey, KeySource } from './log-references.js';

/** Half the lease of an unwrapped key (spec/privacy.md): what is being checked as they are dropped has time to end. */
const KEPT_MS = UNWRAPPED_KEY_MS / 2;
/** Beyond so many people a walk begins anew rather than keep them all in memory. */
const MAX_KEPT = 10_000;

/**
 * Data keys, for a while: asking for one means to wait for a thread that is busy, and the same few people's are needed
 * again and again. None stays in memory that may be destroyed meanwhile, also where nothing is asked any more.
 */
export class KeptKeys {
  private keys = new Map<string, DataKey>();
  private until = -Infinity;
  private ending: NodeJS.Timeout | undefined;

  /** @param clock milliseconds, monotonic */
  constructor(
    private readonly source: KeySource,
    private readonly clock: () => number = () => performance.now(),
  ) {}

  /** Those that are kept, these among them as far as they can be had. @throws what the source throws */
  async with(kids: Iterable<string>): Promise<ReadonlyMap<string, DataKey>> {
    if (this.clock() >= this.until || this.keys.size > MAX_KEPT) this.begin();
    const { keys } = this;
    const missing = [...kids].filter((kid) => !keys.has(kid));
    if (missing.length > 0) for (const [kid, key] of await this.source.keys(missing)) keys.set(kid, key);
    return keys;
  }

  private begin(): void {
    clearTimeout(this.ending);
    this.keys = new Map();
    this.until = this.clock() + KEPT_MS;
    this.ending = setTimeout(() => this.end(), KEPT_MS).unref();
  }

  /** Whoever is at work with them has their own hold on them, and lets go of it by itself. */
  private end(): void {
    this.keys = new Map();
    this.until = -Infinity;
  }
}
