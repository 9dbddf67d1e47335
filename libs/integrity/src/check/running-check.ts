import type { EventStore } from '#lib/event-store';
import type { KeyRing } from '#lib/kernel';

import { type Fault, faultPlace, isDamage, listed } from '../domain/fault.js';
import type { CheckSummary } from '../domain/integrity.events.js';
import type { Findings } from '../findings.js';
import type { IntegrityRecord } from '../integrity-record.js';
import { walkLog } from '../log-walk.js';
import { lookAt, type Lookers } from '../looks.js';
import { placeOthers } from '../other-events.js';
import type { ProofCheck } from '../proof-check.js';
import type { KeySource } from '../range/log-references.js';
import type { IntegrityRules } from '../range/rules.js';
import { walkStream } from '../stream-walk.js';
import { eventKeysOf } from '../threads/thread-data.js';
import { type RunningWalk, startWalkThread } from '../threads/walk-thread.js';
import { beginning, type VerificationView, viewOf, walkedTo } from '../verification.js';
import { MAX_RECORDED, type WalkHost } from '../walk/walk.js';
import type { WalkState } from '../walk/walk-state.js';
import { compareTree, treeOf, type Walked } from './compare-tree.js';

/** What a check needs of the process that owns the folder. */
export interface CheckTools {
  readonly store: EventStore;
  readonly ring: KeyRing;
  readonly keys: KeySource;
  /** As they are when a walk begins. */
  readonly rules: () => Promise<IntegrityRules>;
  /** Path of the data folder. */
  readonly folder: string;
  readonly record: IntegrityRecord;
  readonly findings: Findings;
  readonly lookers: Lookers;
  /** Null where there is no Merkle log: its own checks are not made, and the summary says so. */
  readonly proof: ProofCheck | null;
  /** Milliseconds since the Unix epoch. */
  readonly now: () => number;
  readonly onTrouble: (error: unknown) => void;
  /** Told where the events are found to be other ones than were signed. */
  readonly onOtherEvents: () => void;
}

/** What one check is of. */
export interface CheckScope extends Pick<Walked, 'stream' | 'shortness'> {
  /** Number of events in the log. */
  readonly head: number;
  /** A walk to begin. */
  readonly begin: WalkState;
  /** Goes on from here: the walk that a stopped process left. */
  readonly left: WalkState | null;
  /** Threads that check, 1 to 8. */
  readonly workers: number;
  /** Most events a second; null: no limit. */
  readonly maxRate: number | null;
  /** Whether who asked may let a log be signed again whose events were found to be other ones. */
  readonly mayRelease: boolean;
}

/** One check of the log or of one stream under way, from its walk to its summary. */
export class RunningCheck {
  private current: VerificationView;
  private readonly since: number;
  private mayRelease: boolean;
  private readonly stopper = new AbortController();
  /** Places that were told one by one. */
  private readonly told = new Set<string>();
  /** Null until it walks. */
  private rules: IntegrityRules | null = null;
  private walk: RunningWalk | null = null;

  constructor(
    private readonly tools: CheckTools,
    private readonly scope: CheckScope,
  ) {
    const { begin, left, stream, head, mayRelease } = scope;
    this.current = beginning(left ?? begin, stream, head);
    this.since = tools.now();
    // What was walked before a stop may have been changed since.
    this.mayRelease = mayRelease && left === null;
  }

  get view(): VerificationView {
    return this.current;
  }

  /** Another check has found other events meanwhile. */
  forbidRelease(): void {
    this.mayRelease = false;
  }

  /** Keeps the place, and ends it. */
  stop(): void {
    this.stopper.abort();
    this.walk?.stop();
  }

  /** Settles at its end, whatever that is: the view says it. */
  async run(): Promise<void> {
    try {
      const end = await this.walked();
      this.show(end);
      if (end.position < end.to) this.interrupted();
      else await this.conclude(end);
    } catch (error) {
      const reason = error instanceof Error ? error.message : 'unknown';
      this.current = { ...this.current, state: 'failed', eta_seconds: null, reason, ended_at: this.time() };
      this.tools.onTrouble(error);
    }
  }

  private async walked(): Promise<WalkState> {
    const { ring, folder, store, lookers, keys, findings } = this.tools;
    const { stream, begin, left, maxRate, workers } = this.scope;
    const rules = await this.tools.rules();
    this.rules = rules;
    const { signal } = this.stopper;
    if (signal.aborted) return begin;
    const host: WalkHost = {
      look: (looks) => lookAt(looks, lookers),
      onProgress: (state) => this.show(state),
      onFaults: (faults) => this.found(faults),
      withdraw: (faults) => findings.withdraw(faults),
    };
    const here = { store, rules, ring, keys, host, signal };
    if (stream !== null) return walkStream(stream, begin, here);
    const resume = left !== null;
    if (!store.count) return walkLog(begin, { ...here, folder, resume, maxRate });
    this.walk = startWalkThread(
      { folder, rules, ring: eventKeysOf(ring), background: true, begin, resume, workers, maxRate },
      { ...host, keys: (kids) => keys.keys(kids) },
    );
    return this.walk.ended;
  }

  /** What the Merkle log says, then the summary. */
  private async conclude(end: WalkState): Promise<void> {
    const { proof, findings, record, onTrouble } = this.tools;
    const { stream } = this.scope;
    const compared = proof && (await compareTree(proof, this.scopeWalked(), end, onTrouble));
    const fault = this.isMissingTold(end) ? null : (compared?.fault ?? null);
    if (fault) this.found([{ detector: 'proof', ...fault }]);
    const tree = treeOf(compared, stream);
    const others = tree === 'other' && stream === null ? await this.placed(end) : 0;
    await findings.settled();
    if (others === null) return this.interrupted();
    if (tree === 'other') this.tools.onOtherEvents();
    const releases = this.mayRelease && (tree === 'same' || tree === 'mended');
    const counts = compared ? { ...end.counts, leaves: compared.leaves } : end.counts;
    const faults = end.faults + (fault ? 1 : 0) + others;
    const summary = this.summary(end, { counts, tree, releases, faults });
    const { event_id } = await record.summary(summary);
    if (releases) proof?.release();
    const { rate } = this.current;
    this.current = { ...viewOf({ ...summary, event_id }), rate };
  }

  /**
   * Whether positions that no event has are all that keeps the tree from being computed: the walk has told them, each where
   * it is, and that there is no tree says the same once more.
   */
  private isMissingTold({ root, faults }: WalkState): boolean {
    const { stream, shortness } = this.scopeWalked();
    const isDense = this.rules?.dense ?? false;
    return stream === null && shortness === null && isDense && root === null && faults > 0;
  }

  private summary(
    { verification_id, requested_by, started_at, digest }: WalkState,
    found: Pick<CheckSummary, 'counts' | 'tree' | 'releases' | 'faults'>,
  ): CheckSummary {
    const { stream } = this.scope;
    return {
      verification_id,
      scope: stream,
      requested_by,
      started_at,
      ended_at: this.time(),
      position: this.current.position,
      ...found,
      digest: stream === null ? digest : null,
      sound: found.faults === 0,
      found: this.current.found,
    };
  }

  /**
   * Where the events stand that are other ones than were signed: how many nobody has counted yet; null where it was
   * stopped. What the walk has counted without telling where may be among them, and is not counted again.
   */
  private async placed(end: WalkState): Promise<number | null> {
    const { proof, findings, onTrouble } = this.tools;
    const { rules, told } = this;
    if (!proof || !rules) return 0;
    try {
      const count = await placeOthers(proof, {
        rules,
        isTold: (fault) => told.has(faultPlace(fault)),
        room: MAX_RECORDED - end.recorded,
        onFaults: (faults) => this.found(faults),
        withdraw: (faults) => findings.withdraw(faults),
        signal: this.stopper.signal,
      });
      return count !== null && end.faults > end.recorded ? 0 : count;
    } catch (error) {
      // That the tree is another stands, wherever its events are.
      onTrouble(error);
      return 0;
    }
  }

  private found(faults: readonly Fault[]): void {
    const damage = faults.filter(isDamage);
    for (const fault of damage) this.told.add(faultPlace(fault));
    this.current = { ...this.current, found: listed(this.current.found, faults) };
    this.tools.findings.take(damage);
  }

  private show(state: WalkState): void {
    const seconds = (this.tools.now() - this.since) / 1000;
    this.current = walkedTo(this.current, state, this.scope.left?.position ?? 0, seconds);
  }

  private interrupted(): void {
    this.current = { ...this.current, state: 'interrupted', eta_seconds: null };
  }

  private scopeWalked(): Walked {
    const { stream, shortness } = this.scope;
    return { stream, shortness, signal: this.stopper.signal };
  }

  private time(): string {
    return new Date(this.tools.now()).toISOString();
  }
}
