import {
  type EventStore,
  LruMap,
  positionOf,
  StoreUnavailableError,
  type SubjectCiphers,
  UnknownSubjectKeyError,
} from '#lib/event-store';
import { type KeyRing, MaceError, sha256Hex } from '#lib/kernel';

import { type Fault, faultPlace } from './domain/fault.js';
import { LISTED_FAULTS, type CheckSummary } from './domain/integrity.events.js';
import type { Findings } from './findings.js';
import type { IntegrityRecord } from './integrity-record.js';
import { lookAt, type Lookers } from './looks.js';
import { countEvents, walkLog } from './log-walk.js';
import { placeOthers } from './other-events.js';
import type { ProofCheck, ProofFault, StreamLeaves } from './proof-check.js';
import type { DataKey, KeySource } from './range/log-references.js';
import type { IntegrityRules } from './range/rules.js';
import { walkStream } from './stream-walk.js';
import { eventKeysOf } from './threads/thread-data.js';
import { type RunningWalk, startWalkThread } from './threads/walk-thread.js';
import { type VerificationView, viewOf } from './verification.js';
import { leftWalk } from './walk/walk-file.js';
import { MAX_RECORDED, type WalkHost } from './walk/walk.js';
import { walkOf, type WalkState } from './walk/walk-state.js';

export interface VerificationRequest {
  /** Follows from the command's seed: the same request again is the same check. */
  readonly verification_id: string;
  readonly requested_by: string;
  /** Whether whoever asks may let a log be signed again whose events were found to be other ones: an admin. */
  readonly mayRelease: boolean;
  /** Null for the whole log. */
  readonly stream: string | null;
  /** Threads that check, 1 to 8. */
  readonly workers: number;
  /** Goes on with the walk that a stopped process left, where there is one. */
  readonly resume: boolean;
  /** Most events a second; null: no limit. */
  readonly maxRate: number | null;
  /** Keyed hash of the request's body: the same check is asked for in the same words. */
  readonly requestDigest: string;
}

export interface VerificationsOptions {
  readonly store: EventStore;
  readonly ring: KeyRing;
  readonly ciphers: SubjectCiphers;
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
}

interface Running {
  view: VerificationView;
  readonly since: number;
  readonly from: number;
  /** What the log's length shows by itself; null where nothing. */
  readonly shortness: string | null;
  /** Not any more once another check has found other events meanwhile. */
  mayRelease: boolean;
  readonly stopper: AbortController;
  /** Places that were told one by one. */
  readonly told: Set<string>;
  /** Null until it walks. */
  rules: IntegrityRules | null;
  walk: RunningWalk | null;
  done: Promise<void>;
}

/** What the Merkle log said; `leaves` is null where not all of them were compared. */
type Compared = Omit<StreamLeaves, 'leaves'> & { readonly leaves: number | null };

/** Ended checks without a summary that can still be asked for. */
const KEPT = 100;

export function verificationId(seed: string): string {
  return `iv-${sha256Hex(`${seed}:verification`).slice(0, 32)}`;
}

/** Checks of the log as resources with progress. A walk over the whole log is one at a time: who asks for another joins it. */
export class Verifications {
  private readonly running = new Map<string, Running>();
  private readonly ended = new Map<string, VerificationView>();
  private readonly keys: KeySource;
  private readonly asked = new LruMap<string, string>(2 * KEPT);
  private isStopped = false;

  constructor(private readonly options: VerificationsOptions) {
    this.keys = { keys: (kids) => this.keysOf(kids) };
  }

  /**
   * @throws MaceError NOT_FOUND for a stream that has no events, IDEMPOTENCY_KEY_REUSED for another request under the
   * same seed; StoreUnavailableError
   */
  async begin(request: VerificationRequest): Promise<VerificationView> {
    const known = await this.find(request.verification_id);
    if (known) {
      const asked = this.asked.get(request.verification_id) ?? request.requestDigest;
      if (asked === request.requestDigest) return known;
      throw new MaceError('IDEMPOTENCY_KEY_REUSED', 'this Idempotency-Key came with another body; draw a new one');
    }
    this.asked.set(request.verification_id, request.requestDigest);
    const { store } = this.options;
    const { stream } = request;
    // Before the head: what is signed was stored.
    const signed = this.options.proof?.signedSize() ?? 0;
    const head = await this.length();
    const version = stream === null ? head : await store.streamVersion(stream);
    if (stream !== null && version === 0) throw new MaceError('NOT_FOUND', `no stream "${stream.slice(0, 120)}"`);
    if (this.isStopped) throw new StoreUnavailableError('the process ends');
    const same = [...this.running.values()].find(({ view }) => view.stream === stream);
    if (same) return same.view;
    const left = request.resume && stream === null ? await this.unfinished() : null;
    return this.start(request, { head, total: version, signed }, left).view;
  }

  /** Goes on with the walk that a stopped process left, where there is one; without anybody's asking. */
  async goOn(): Promise<void> {
    try {
      const left = await this.unfinished();
      if (!left) return;
      const signed = this.options.proof?.signedSize() ?? 0;
      const head = await this.length();
      const isWalking = [...this.running.values()].some(({ view }) => view.stream === null);
      if (this.isStopped || isWalking) return;
      const { verification_id, requested_by, max_rate: maxRate } = left;
      const again = {
        verification_id,
        requested_by,
        maxRate,
        mayRelease: false,
        stream: null,
        workers: 1,
        resume: true,
      };
      this.start({ ...again, requestDigest: '' }, { head, total: left.to, signed }, left);
    } catch (error) {
      this.options.onTrouble(error);
    }
  }

  /** Number of events; where they can be counted, the last one's position. */
  private async length(): Promise<number> {
    const { store, proof } = this.options;
    if (store.count) return Number(await store.head());
    return (await proof?.length()) ?? countEvents(store);
  }

  /** @throws MaceError NOT_FOUND */
  async get(id: string): Promise<VerificationView> {
    const view = await this.find(id);
    if (!view) throw new MaceError('NOT_FOUND', `no verification ${id.slice(0, 60)}`);
    return view;
  }

  /** Newest first. @param after verification_id of the last one seen */
  async list(
    limit: number,
    after?: string,
  ): Promise<{ items: readonly VerificationView[]; next_cursor: string | null }> {
    const here = [...[...this.running.values()].map(({ view }) => view), ...this.ended.values()];
    const left = this.left();
    if (left && !here.some((view) => view.verification_id === left.verification_id)) here.push(left);
    const recorded = (await this.options.record.summaries()).map(viewOf);
    const unrecorded = here.filter(({ verification_id: id }) => !recorded.some((one) => one.verification_id === id));
    const all = [...unrecorded, ...recorded].sort((a, b) => (a.started_at < b.started_at ? 1 : -1));
    const start = after === undefined ? 0 : all.findIndex(({ verification_id }) => verification_id === after) + 1;
    const items = all.slice(start, start + limit);
    const next_cursor = start + limit < all.length ? items.at(-1)!.verification_id : null;
    return { items, next_cursor };
  }

  /** Keeps the place of what runs, and ends it. */
  async stop(): Promise<void> {
    this.isStopped = true;
    for (const { walk, stopper } of this.running.values()) {
      stopper.abort();
      walk?.stop();
    }
    await Promise.all([...this.running.values()].map(({ done }) => done));
  }

  private async find(id: string): Promise<VerificationView | null> {
    const here = this.running.get(id)?.view ?? this.ended.get(id);
    if (here) return here;
    const summary = (await this.options.record.summaries()).find(({ verification_id }) => verification_id === id);
    if (summary) return viewOf(summary);
    const left = this.left();
    return left?.verification_id === id ? left : null;
  }

  /** What an earlier process left unfinished. */
  private left(): VerificationView | null {
    const state = leftWalk(this.options.folder, this.options.ring);
    return state && { ...beginning(state, null, state.position), state: 'interrupted' };
  }

  /** The walk that was left, unless it has come to its summary. */
  private async unfinished(): Promise<WalkState | null> {
    const left = leftWalk(this.options.folder, this.options.ring);
    if (!left) return null;
    const ended = await this.options.record.summaries();
    return ended.some(({ verification_id }) => verification_id === left.verification_id) ? null : left;
  }

  private start(
    request: VerificationRequest,
    { head, total, signed }: { readonly head: number; readonly total: number; readonly signed: number },
    left: WalkState | null,
  ): Running {
    const { stream } = request;
    const { verification_id, requested_by, started_at } = left ?? {
      verification_id: request.verification_id,
      requested_by: request.requested_by,
      started_at: this.time(),
    };
    const begin = walkOf(verification_id, requested_by, started_at, total, request.maxRate);
    const running: Running = {
      view: beginning(left ?? begin, stream, head),
      since: this.options.now(),
      from: left?.position ?? 0,
      shortness: head < signed ? `it ends with event ${head}, and a checkpoint over ${signed} events is signed` : null,
      // What was walked before a stop may have been changed since.
      mayRelease: request.mayRelease && left === null,
      stopper: new AbortController(),
      told: new Set(),
      rules: null,
      walk: null,
      done: Promise.resolve(),
    };
    this.running.set(begin.verification_id, running);
    this.ended.delete(begin.verification_id);
    running.done = this.run(running, begin, { ...request, resume: left !== null });
    return running;
  }

  private async run(running: Running, begin: WalkState, request: VerificationRequest): Promise<void> {
    try {
      const end = await this.walked(running, begin, request);
      this.show(running, end);
      if (end.position < end.to) running.view = { ...running.view, state: 'interrupted', eta_seconds: null };
      else await this.conclude(running, end);
    } catch (error) {
      const reason = error instanceof Error ? error.message : 'unknown';
      running.view = { ...running.view, state: 'failed', eta_seconds: null, reason, ended_at: this.time() };
      this.options.onTrouble(error);
    } finally {
      const { view } = running;
      this.running.delete(view.verification_id);
      this.ended.set(view.verification_id, view);
      for (const id of this.ended.keys()) {
        if (this.ended.size <= KEPT) break;
        this.ended.delete(id);
      }
    }
  }

  private async walked(running: Running, begin: WalkState, request: VerificationRequest): Promise<WalkState> {
    const { ring, folder, store, lookers } = this.options;
    const rules = await this.options.rules();
    running.rules = rules;
    if (running.stopper.signal.aborted) return begin;
    const host: WalkHost = {
      look: (looks) => lookAt(looks, lookers),
      onProgress: (state) => this.show(running, state),
      onFaults: (faults) => this.found(running, faults),
      withdraw: (faults) => this.options.findings.withdraw(faults),
    };
    const { stream, maxRate, workers, resume } = request;
    if (stream !== null) {
      const { signal } = running.stopper;
      return walkStream(stream, begin, { store, rules, ring, keys: this.keys, host, signal });
    }
    if (!store.count) {
      const { signal } = running.stopper;
      return walkLog(begin, { store, rules, ring, keys: this.keys, host, signal, folder, resume, maxRate });
    }
    running.walk = startWalkThread(
      { folder, rules, ring: eventKeysOf(ring), background: true, begin, resume, workers, maxRate },
      { ...host, keys: (kids) => this.keys.keys(kids) },
    );
    return running.walk.ended;
  }

  /** What the Merkle log says, then the summary. */
  private async conclude(running: Running, end: WalkState): Promise<void> {
    const { proof, findings, record } = this.options;
    const { stream } = running.view;
    let { counts, faults } = end;
    const compared = proof && (await this.compared(proof, running, end));
    if (compared) {
      const { leaves, fault } = compared;
      counts = { ...counts, leaves };
      if (fault) {
        faults++;
        this.found(running, [{ detector: 'proof', ...fault }]);
      }
    }
    const tree = treeOf(compared, stream);
    const others = tree === 'other' && stream === null ? await this.placed(running, end) : 0;
    await findings.settled();
    if (others === null) {
      running.view = { ...running.view, state: 'interrupted', eta_seconds: null };
      return;
    }
    faults += others;
    if (tree === 'other') for (const one of this.running.values()) one.mayRelease = false;
    const releases = running.mayRelease && (tree === 'same' || tree === 'mended');
    const { verification_id, requested_by, started_at } = end;
    const ended_at = this.time();
    const summary: CheckSummary = {
      verification_id,
      scope: stream,
      requested_by,
      started_at,
      ended_at,
      position: running.view.position,
      counts,
      digest: stream === null ? end.digest : null,
      tree,
      releases,
      sound: faults === 0,
      faults,
      found: running.view.found,
    };
    const { event_id } = await record.summary(summary);
    if (releases) proof?.release();
    const { rate } = running.view;
    running.view = { ...viewOf({ ...summary, event_id }), rate };
  }

  /**
   * Null where no checkpoint came in time: the summary then says of the tree that it was not compared.
   * @throws where a log would be called sound of which nobody has compared the tree
   */
  private async compared(
    proof: ProofCheck,
    { view: { stream }, shortness, stopper }: Running,
    { to, root, faults }: WalkState,
  ): Promise<Compared | null> {
    try {
      if (stream !== null) return await proof.ofStream(stream, to, stopper.signal);
      const isEmpty = to === 0 && shortness === null;
      const found = isEmpty ? null : await proof.faultOf(to, shortness === null ? root : null);
      return { leaves: to, fault: wholeFault(shortness === null ? found : { reason: shortness, position: null }) };
    } catch (error) {
      if (!(error instanceof MaceError && error.code === 'WAIT_TIMEOUT')) throw error;
      if (stream === null && shortness === null && faults === 0)
        throw new Error(`no event has a fault, but their tree was not compared: ${error.developerMessage}`);
      this.options.onTrouble(error);
      return shortness === null ? null : { leaves: null, fault: wholeFault({ reason: shortness, position: null }) };
    }
  }

  /**
   * Where the events stand that are other ones than were signed: how many nobody has counted yet; null where it was
   * stopped. What the walk has counted without telling where may be among them, and is not counted again.
   */
  private async placed(running: Running, end: WalkState): Promise<number | null> {
    const { proof, findings, onTrouble } = this.options;
    const { rules, told, stopper } = running;
    if (!proof || !rules) return 0;
    try {
      const count = await placeOthers(proof, {
        rules,
        isTold: (fault) => told.has(faultPlace(fault)),
        room: MAX_RECORDED - end.recorded,
        onFaults: (faults) => this.found(running, faults),
        withdraw: (faults) => findings.withdraw(faults),
        signal: stopper.signal,
      });
      return count !== null && end.faults > end.recorded ? 0 : count;
    } catch (error) {
      // That the tree is another stands, wherever its events are.
      onTrouble(error);
      return 0;
    }
  }

  private found(running: Running, faults: readonly Fault[]): void {
    for (const fault of faults) running.told.add(faultPlace(fault));
    const { view } = running;
    running.view = { ...view, found: [...view.found, ...faults].slice(0, LISTED_FAULTS) };
    this.options.findings.take(faults);
  }

  private show(running: Running, state: WalkState): void {
    const seconds = (this.options.now() - running.since) / 1000;
    const rate = seconds > 0 ? Math.round(Math.max(0, state.position - running.from) / seconds) : 0;
    const eta_seconds = rate > 0 ? Math.ceil((state.to - state.position) / rate) : null;
    const { position: processed, to: total, counts, faults } = state;
    const position = running.view.stream === null ? String(total) : running.view.position;
    running.view = { ...running.view, processed, total, position, counts, faults, rate, eta_seconds };
  }

  private async keysOf(kids: readonly string[]): Promise<ReadonlyMap<string, DataKey>> {
    const { ciphers, onTrouble } = this.options;
    const keys = new Map<string, DataKey>();
    for (const kid of kids) {
      try {
        const cipher = ciphers.cachedKid(kid) ?? (await ciphers.forKid(kid));
        keys.set(kid, cipher === 'destroyed' ? cipher : cipher.dataKey);
      } catch (error) {
        // Said in the summary by their number; a walk goes on without them.
        keys.set(kid, 'unknown');
        if (!(error instanceof UnknownSubjectKeyError)) onTrouble(error);
      }
    }
    return keys;
  }

  private time(): string {
    return new Date(this.options.now()).toISOString();
  }
}

function treeOf(compared: Compared | null, stream: string | null): CheckSummary['tree'] {
  const fault = compared?.fault;
  if (fault && (fault.stream !== null || fault.position === null)) return 'other';
  if (!compared || stream !== null) return null;
  return fault ? 'mended' : 'same';
}

function wholeFault(fault: ProofFault | null): StreamLeaves['fault'] {
  return fault && { stream: null, revision: null, ...fault };
}

function beginning(state: WalkState, stream: string | null, head: number): VerificationView {
  const { verification_id, requested_by, started_at, position, to, counts, faults } = state;
  return {
    verification_id,
    state: 'running',
    stream,
    requested_by,
    started_at,
    ended_at: null,
    processed: position,
    total: to,
    rate: 0,
    eta_seconds: null,
    position: positionOf(head),
    sound: null,
    faults,
    found: [],
    counts,
    digest: null,
    summary_event_id: null,
    reason: null,
  };
}
