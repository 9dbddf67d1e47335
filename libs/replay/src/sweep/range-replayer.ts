import { setImmediate as nextTurn } from 'node:timers/promises';

import { type EventCodec, EventLog } from '#lib/event-store';
import { Snapshots } from '#lib/governance';
import { amendmentStream, jobStream } from '#lib/jobs';
import type { KeyRing } from '#lib/kernel';

import { replayJob, type ReplayFinding, type ReplaySources } from '../replay-job.js';
import { isUnchecked } from '../replay-records.js';
import type { Clock } from '../step-list.js';
import type { RangeKeys } from './range-keys.js';
import { type RangeReads, RangeStore } from './range-store.js';

export interface RangeSources {
  readonly reads: RangeReads;
  readonly codec: EventCodec;
  /** Keys that verify snapshots. */
  readonly ring: KeyRing;
  /** Those that the codec opens fields with, where they are lent for a range. */
  readonly keys?: RangeKeys;
  readonly tree?: ReplaySources['tree'];
  readonly reviews?: ReplaySources['reviews'];
  readonly clock: Clock;
}

/** What a range of jobs came to. */
export interface RangeOutcome {
  readonly match: number;
  /** job_ids of those that are MATCH_WITH_ERASED_INPUTS. */
  readonly erased: readonly string[];
  /**
   * job_ids of those of which neither is certain, in the order in which they were given: each is for a replay of its own
   * to decide. Nothing is said of them here.
   */
  readonly open: readonly string[];
}

const LOG_ID = '"log_id":"';
const LOG_ID_LENGTH = 64;

/**
 * Replays jobs range by range, in audit mode, by the very code that replays a single one, from a log of its own: what it
 * has verified it has verified itself. Snapshots, trust reductions and system streams are verified once, and read again
 * for each range: the same bytes under the same keys prove the same.
 */
export class RangeReplayer {
  private readonly store: RangeStore;
  private readonly keys: RangeKeys | undefined;
  private readonly sources: ReplaySources;
  private readonly clock: Clock;
  private brought: Promise<string | null> | undefined;
  private last: Promise<unknown> = Promise.resolve();

  constructor({ reads, codec, ring, keys, tree, reviews, clock }: RangeSources) {
    this.store = new RangeStore(reads);
    this.keys = keys;
    const log = new EventLog(this.store, codec);
    const snapshots = new Snapshots(log, ring);
    // Asked once a range, before anything that is looked at because of it is read.
    const brought = reviews && { broughtTo: () => (this.brought ??= reviews.broughtTo()) };
    this.sources = { log, snapshots, ...(tree ? { tree } : {}), ...(brought ? { reviews: brought } : {}) };
    this.clock = clock;
  }

  /**
   * One range after another, for what one has read and borrowed is dropped with it; and one job after another, in turns of
   * the event loop: whoever else works in this thread is let through.
   */
  replay(jobIds: readonly string[]): Promise<RangeOutcome> {
    const outcome = this.last.catch(() => undefined).then(() => this.replayNow(jobIds));
    this.last = outcome;
    return outcome;
  }

  private async replayNow(jobIds: readonly string[]): Promise<RangeOutcome> {
    try {
      return await this.replayAll(jobIds);
    } finally {
      this.store.end();
      this.keys?.end();
    }
  }

  private async replayAll(jobIds: readonly string[]): Promise<RangeOutcome> {
    const streams = jobIds.map(jobStream);
    this.brought = undefined;
    this.store.begin(streams);
    this.store.learnAbsent(this.streamsBeside(streams));
    this.sources.tree?.readAhead?.(this.store.ends());
    await this.keys?.begin(this.ownersKeys(streams));
    let match = 0;
    const erased: string[] = [];
    const open: string[] = [];
    for (const id of jobIds) {
      await nextTurn();
      const verdict = await this.certain(id);
      if (verdict === 'MATCH') match++;
      else if (verdict === 'MATCH_WITH_ERASED_INPUTS') erased.push(id);
      else open.push(id);
    }
    return { match, erased, open };
  }

  /** The verdict where it is one that needs no further word; whatever else there is, is told by another replay. */
  private async certain(id: string): Promise<ReplayFinding['verdict']> {
    try {
      const { verdict, steps } = await replayJob(this.sources, id, { clock: this.clock });
      return verdict === 'MISMATCH' || steps.some(isUnchecked) ? null : verdict;
    } catch {
      // Whatever it is, the single replay of this job meets it too, and says so.
      return null;
    }
  }

  /** The streams in which something may have been said of the jobs' logs later; only which are asked for together. */
  private streamsBeside(streams: readonly string[]): readonly string[] {
    const found: string[] = [];
    for (const stream of streams) {
      const text = this.store.lastOf(stream, 'REFLECTIVE_LOG_WRITTEN')?.text ?? '';
      const at = text.indexOf(LOG_ID);
      if (at >= 0) found.push(amendmentStream(text.slice(at + LOG_ID.length, at + LOG_ID.length + LOG_ID_LENGTH)));
    }
    return found;
  }

  /** kids of the keys under which the jobs' owners' words stand: nearly always all that a job needs. */
  private ownersKeys(streams: readonly string[]): readonly string[] {
    const kids = new Set<string>();
    for (const stream of streams) {
      const kid = /"kid":"([^"\\]{1,300})","nonce":/.exec(this.store.firstOf(stream)?.text ?? '')?.[1];
      if (kid !== undefined) kids.add(kid);
    }
    return [...kids];
  }
}
