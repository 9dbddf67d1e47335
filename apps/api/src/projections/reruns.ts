import { rmSync } from 'node:fs';
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';

import type { CommandContext } from '#lib/access';
import { MaceError, refuseOtherBody, sha256Hex } from '#lib/kernel';
import { type Projection, rerun, type RerunOptions, type RerunProgress, type RerunResult } from '#lib/projections';
import { type ReadStore, SqliteReadStore } from '#lib/read-store';

/** Events after `from` up to `to`; up to where the live projection is where `to` is absent. */
export interface RerunRange {
  readonly from: string;
  readonly to?: string;
}

export interface RerunView {
  readonly rerun_id: string;
  readonly projection: string;
  readonly state: 'running' | 'done' | 'failed';
  readonly progress: RerunProgress | null;
  readonly result: RerunResult | null;
  /** Why it failed, in words; null unless it did. */
  readonly reason: string | null;
}

/** How many ended reruns stay readable. */
const KEPT = 100;

/** Reruns of projections into scratch places, as resources with progress; they end with the process. */
export class Reruns {
  private readonly views = new Map<string, RerunView>();
  /** Digest of the request that began each of them. */
  private readonly requests = new Map<string, string>();
  private readonly running = new Map<string, Promise<void>>();
  private readonly stopper = new AbortController();

  constructor(
    private readonly projections: readonly Projection[],
    private readonly options: Pick<RerunOptions, 'events' | 'documents' | 'decode'>,
    /** Where scratch places are made, each in a folder of its own; what an earlier process left there is removed. */
    private readonly scratchRoot: string,
  ) {
    rmSync(scratchRoot, { recursive: true, force: true });
  }

  /**
   * Begins a rerun under an id that follows from the command's seed: the same request again is the same rerun.
   * @throws MaceError NOT_FOUND, and IDEMPOTENCY_KEY_REUSED for another request under the same seed
   */
  begin(name: string, range: RerunRange, ctx: Pick<CommandContext, 'seed' | 'requestDigest'>): RerunView {
    const projection = this.projections.find((one) => one.name === name);
    if (!projection) throw new MaceError('NOT_FOUND', `no projection "${name.slice(0, 60)}"`);
    const rerun_id = `rr-${sha256Hex(`${ctx.seed}:rerun`).slice(0, 32)}`;
    const known = this.views.get(rerun_id);
    if (known) {
      // They end with the process, and so are asked for under one key.
      refuseOtherBody(this.requests.get(rerun_id), ctx);
      return known;
    }
    this.requests.set(rerun_id, ctx.requestDigest);
    const begun: RerunView = {
      rerun_id,
      projection: name,
      state: 'running',
      progress: null,
      result: null,
      reason: null,
    };
    this.keep(begun);
    this.running.set(rerun_id, this.run(projection, range, begun));
    return begun;
  }

  /** @throws MaceError INVALID_INPUT for positions beyond the last event, or in the wrong order */
  async check({ from, to }: RerunRange): Promise<void> {
    const head = await this.options.events.head();
    for (const [name, position] of Object.entries({ from, to: to ?? from })) {
      if (BigInt(position) > BigInt(head))
        throw new MaceError('INVALID_INPUT', `${name}: a position up to the last event's, which is ${head}`);
    }
    if (to !== undefined && BigInt(from) > BigInt(to)) throw new MaceError('INVALID_INPUT', 'from: not after `to`');
  }

  /** @throws MaceError NOT_FOUND */
  get(name: string, rerunId: string): RerunView {
    const view = this.views.get(rerunId);
    if (!view || view.projection !== name)
      throw new MaceError('NOT_FOUND', `no rerun ${rerunId.slice(0, 60)} of ${name.slice(0, 60)}`);
    return view;
  }

  /** Ends what runs; scratch places are dropped. */
  async stop(): Promise<void> {
    this.stopper.abort();
    await Promise.all(this.running.values());
  }

  private async run(projection: Projection, range: RerunRange, begun: RerunView): Promise<void> {
    let view = begun;
    const show = (change: Partial<RerunView>): void => this.keep((view = { ...view, ...change }));
    const folder = join(this.scratchRoot, begun.rerun_id);
    let scratch: ReadStore | undefined;
    try {
      await mkdir(folder, { recursive: true, mode: 0o700 });
      // A file of its own: the live one neither grows nor waits.
      scratch = await SqliteReadStore.open({ folder, disposable: true });
      const result = await rerun(projection, {
        ...this.options,
        scratch,
        ...range,
        signal: this.stopper.signal,
        onProgress: (progress) => show({ progress }),
      });
      show({ state: 'done', result });
    } catch (error) {
      show({ state: 'failed', reason: error instanceof Error ? error.message : 'unknown' });
    } finally {
      await scratch?.close();
      await rm(folder, { recursive: true, force: true });
      this.running.delete(begun.rerun_id);
    }
  }

  private keep(view: RerunView): void {
    this.views.set(view.rerun_id, view);
    for (const [id, { state }] of this.views) {
      if (this.views.size <= KEPT) return;
      if (state === 'running') continue;
      this.views.delete(id);
      this.requests.delete(id);
    }
  }
}
