import { setTimeout as sleep } from 'node:timers/promises';
import { type EventStore } from '#lib/event-store';
import { type Conditional, type Provenance, sha256Hex, whereMatched } from '#lib/kernel';
import { type ReadStore } from '#lib/read-store';
import { type ProjectionDecisions } from './domain/decisions.js';
import { beginRebuild, cancelRebuild, liveName, rebuildOf, rebuiltName, rollBack, swap } from './domain/rebuild.js';
import { liveGeneration } from './ownership.js';
import { projectionNamed } from './named.js';
import { type Projection } from './projection.js';
import { type ProjectionHost } from './projection-host.js';
import { type ProjectionRecord } from './projection-record.js';
import { rebuildView, type RebuildView } from './rebuild-view.js';

export interface RebuildsOptions {
  readonly projections: readonly Projection[];
  readonly events: EventStore;
  readonly documents: ReadStore;
  readonly record: ProjectionRecord;
  /** Told of what was decided, where this process owns the projection; others find it for themselves. */
  readonly host: Pick<ProjectionHost, 'lookAgain'>;
  /** How long a swap is waited for before it is answered as under way; default 10,000. */
  readonly swapWaitMs?: number;
}

const POLL_MS = 25;

/** Rebuilds of projections as operators order them; the owner of each does the work (design/stores.md). */
export class Rebuilds {
  constructor(private readonly options: RebuildsOptions) {}

  /**
   * Begins a rebuild under an id that follows from the command's seed: the same request again is the same rebuild.
   * @throws MaceError NOT_FOUND, CONFLICT where one is open, IDEMPOTENCY_KEY_REUSED
   */
  async begin(name: string, provenance: Provenance, reason: string | null): Promise<RebuildView> {
    const projection = this.projection(name);
    const rebuild_id = `rb-${sha256Hex(`${provenance.jobSeed}:rebuild`).slice(0, 32)}`;
    const generation = rebuiltName(projection.version, rebuild_id);
    const order = { projection: name, rebuild_id, generation, reason };
    const decisions = await this.options.record.decide(name, provenance, (state) =>
      beginRebuild(state, order, provenance),
    );
    void this.options.host.lookAgain(name);
    return this.view(projection, decisions, rebuild_id);
  }

  /** Newest first. @throws MaceError NOT_FOUND */
  async list(name: string): Promise<readonly RebuildView[]> {
    const projection = this.projection(name);
    const decisions = await this.options.record.of(name);
    const ids = decisions.rebuilds.map(({ rebuild_id }) => rebuild_id).reverse();
    return Promise.all(ids.map((id) => this.view(projection, decisions, id)));
  }

  /** @throws MaceError NOT_FOUND */
  async get(name: string, rebuildId: string): Promise<RebuildView> {
    return this.view(this.projection(name), await this.options.record.of(name), rebuildId);
  }

  /** Of what was decided last about the projection: the ETag of its rebuilds. @throws MaceError NOT_FOUND */
  async revisionOf(name: string, rebuildId: string): Promise<number> {
    rebuildOf(await this.options.record.of(this.projection(name).name), rebuildId);
    return this.options.record.revisionOf(name);
  }

  /** @throws MaceError NOT_FOUND, CONFLICT where it neither runs nor is ready, PRECONDITION_FAILED */
  async cancel(
    name: string,
    rebuild_id: string,
    provenance: Provenance,
    reason: string | null,
    held: Conditional = {},
  ): Promise<RebuildView> {
    const projection = this.projection(name);
    const order = { projection: name, rebuild_id, reason };
    const decisions = await this.options.record.decide(name, provenance, (state, revision) =>
      whereMatched(held, revision, cancelRebuild(state, order)),
    );
    await this.options.host.lookAgain(name);
    return this.view(projection, decisions, rebuild_id);
  }

  /** Queries are answered from the rebuilt generation. @throws MaceError NOT_FOUND, CONFLICT, PRECONDITION_FAILED */
  swap(
    name: string,
    rebuildId: string,
    provenance: Provenance,
    reason: string | null,
    held: Conditional = {},
  ): Promise<RebuildView> {
    return this.change(swap, name, rebuildId, provenance, reason, held);
  }

  /** And again from the one before. @throws MaceError NOT_FOUND, CONFLICT, PRECONDITION_FAILED */
  rollBack(
    name: string,
    rebuildId: string,
    provenance: Provenance,
    reason: string | null,
    held: Conditional = {},
  ): Promise<RebuildView> {
    return this.change(rollBack, name, rebuildId, provenance, reason, held);
  }

  private async change(
    decide: typeof swap,
    name: string,
    rebuild_id: string,
    provenance: Provenance,
    reason: string | null,
    held: Conditional,
  ): Promise<RebuildView> {
    const projection = this.projection(name);
    const order = { projection: name, rebuild_id, version: projection.version, reason };
    const decisions = await this.options.record.decide(name, provenance, (state, revision) =>
      whereMatched(held, revision, decide(state, order)),
    );
    void this.options.host.lookAgain(name);
    await this.done(projection, decisions);
    return this.view(projection, decisions, rebuild_id);
  }

  /** Waits for the owner, which may be another process; what takes longer is answered as under way. */
  private async done(projection: Projection, decisions: ProjectionDecisions): Promise<void> {
    const wanted = liveName(decisions, projection.version);
    const until = performance.now() + (this.options.swapWaitMs ?? 10_000);
    while ((await liveGeneration(this.options.documents, projection)).name !== wanted) {
      if (performance.now() >= until) return;
      await sleep(POLL_MS);
    }
  }

  private view(projection: Projection, decisions: ProjectionDecisions, rebuildId: string): Promise<RebuildView> {
    return rebuildView(projection, decisions, rebuildId, this.options);
  }

  private projection(name: string): Projection {
    return projectionNamed(this.options.projections, name);
  }
}
