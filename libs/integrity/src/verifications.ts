import { LruMap, StoreUnavailableError, type SubjectCiphers } from '#lib/event-store';
import { type JsonObject, MaceError, type PageAfter, pageAfter, refuseOtherBody, sha256Hex } from '#lib/kernel';
import type { ToldWork, WorkUnderWay } from '#lib/projections';

import { shortnessOf } from './check/compare-tree.js';
import { type CheckTools, RunningCheck } from './check/running-check.js';
import { subjectKeys } from './check/subject-keys.js';
import { countEvents } from './log-walk.js';
import { beginning, type VerificationView, viewOf } from './verification.js';
import { leftWalk } from './walk/walk-file.js';
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

export interface VerificationsOptions extends Omit<CheckTools, 'keys' | 'onOtherEvents'> {
  readonly ciphers: SubjectCiphers;
  /** Where other processes on the same log see what is checked, and this one what they check. */
  readonly underWay: WorkUnderWay;
}

interface Running {
  readonly check: RunningCheck;
  readonly done: Promise<void>;
}

/** Ended checks without a summary that can still be asked for. */
const KEPT = 100;

export function verificationId(seed: string): string {
  return `iv-${sha256Hex(`${seed}:verification`).slice(0, 32)}`;
}

/** Checks of the log as resources with progress. A walk over the whole log is one at a time: who asks for another joins it. */
export class Verifications {
  private readonly running = new Map<string, Running>();
  private readonly ended = new Map<string, VerificationView>();
  private readonly tools: CheckTools;
  private readonly asked = new LruMap<string, string>(2 * KEPT);
  private isStopped = false;

  constructor(private readonly options: VerificationsOptions) {
    const keys = subjectKeys(options.ciphers, options.onTrouble);
    this.tools = { ...options, keys, onOtherEvents: () => this.forbidReleases() };
  }

  /**
   * @throws MaceError NOT_FOUND for a stream that has no events, IDEMPOTENCY_KEY_REUSED for another request under the
   * same seed; StoreUnavailableError
   */
  async begin(request: VerificationRequest): Promise<VerificationView> {
    const known = await this.find(request.verification_id);
    if (known) {
      refuseOtherBody(this.asked.get(request.verification_id) ?? request.requestDigest, request);
      return known;
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
    const same = this.underWay().find((view) => view.stream === stream);
    if (same) return same;
    const left = request.resume && stream === null ? await this.unfinished() : null;
    return this.start(request, { head, total: version, signed }, left);
  }

  /** Goes on with the walk that a stopped process left, where there is one; without anybody's asking. */
  async goOn(): Promise<void> {
    try {
      const left = await this.unfinished();
      if (!left) return;
      const signed = this.options.proof?.signedSize() ?? 0;
      const head = await this.length();
      const isWalking = this.underWay().some((view) => view.stream === null);
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
      await this.start({ ...again, requestDigest: '' }, { head, total: left.to, signed }, left);
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

  /** Newest first. @param cursor verification_id of the last one seen @throws MaceError INVALID_INPUT for one that is none */
  async list(limit: number, cursor?: string): Promise<PageAfter<VerificationView>> {
    const here = [...this.underWay(), ...this.ended.values()];
    const left = this.left();
    if (left && !here.some((view) => view.verification_id === left.verification_id)) here.push(left);
    const recorded = (await this.options.record.summaries()).map(viewOf);
    const unrecorded = here.filter(({ verification_id: id }) => !recorded.some((one) => one.verification_id === id));
    const all = [...unrecorded, ...recorded].sort((a, b) => (a.started_at < b.started_at ? 1 : -1));
    return pageAfter(all, ({ verification_id }) => verification_id, { limit, cursor });
  }

  /** Keeps the place of what runs, and ends it. */
  async stop(): Promise<void> {
    this.isStopped = true;
    for (const { check } of this.running.values()) check.stop();
    await Promise.all([...this.running.values()].map(({ done }) => done));
  }

  private async find(id: string): Promise<VerificationView | null> {
    const here = this.running.get(id)?.check.view ?? this.ended.get(id);
    if (here) return here;
    const summary = (await this.options.record.summaries()).find(({ verification_id }) => verification_id === id);
    if (summary) return viewOf(summary);
    const told = await this.options.underWay.elsewhere(id);
    if (told) return told as unknown as VerificationView;
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

  /** Settles once the other processes can know of it: whoever asks there next begins none. */
  private async start(
    request: VerificationRequest,
    { head, total, signed }: { readonly head: number; readonly total: number; readonly signed: number },
    left: WalkState | null,
  ): Promise<VerificationView> {
    const { stream, workers, maxRate, mayRelease } = request;
    const { verification_id, requested_by, started_at } = left ?? {
      verification_id: request.verification_id,
      requested_by: request.requested_by,
      started_at: new Date(this.options.now()).toISOString(),
    };
    const begin = walkOf(verification_id, requested_by, started_at, total, maxRate);
    const shortness = shortnessOf(head, signed);
    const check = new RunningCheck(this.tools, { stream, shortness, head, begin, left, workers, maxRate, mayRelease });
    this.ended.delete(verification_id);
    const told = this.told(check);
    const done = this.run(check, told);
    this.running.set(verification_id, { check, done });
    await told;
    return check.view;
  }

  private async run(check: RunningCheck, told: Promise<ToldWork | undefined>): Promise<void> {
    await told;
    await check.run();
    await (await told)?.end().catch(this.options.onTrouble);
    this.end(check.view);
  }

  /** A check of which the others cannot be told goes on: asked for there, it begins there too. */
  private async told(check: RunningCheck): Promise<ToldWork | undefined> {
    const { underWay, onTrouble } = this.options;
    try {
      return await underWay.begin(check.view.verification_id, () => check.view as unknown as JsonObject);
    } catch (error) {
      onTrouble(error);
      return undefined;
    }
  }

  private end(view: VerificationView): void {
    this.running.delete(view.verification_id);
    this.ended.set(view.verification_id, view);
    for (const id of this.ended.keys()) {
      if (this.ended.size <= KEPT) break;
      this.ended.delete(id);
    }
  }

  private underWay(): VerificationView[] {
    return [...this.running.values()].map(({ check }) => check.view);
  }

  private forbidReleases(): void {
    for (const { check } of this.running.values()) check.forbidRelease();
  }
}
