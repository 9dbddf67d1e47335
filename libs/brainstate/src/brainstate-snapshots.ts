import { type CommandContext, personOf, provenanceOf } from '#lib/access';
import type { EventLog, Fold } from '#lib/event-store';
import { type JsonObject, MaceError, refuseOtherBody, sha256Hex } from '#lib/kernel';

import { type ConstantWarning, resolveConstants } from './domain/constants.js';
import { brainstateEvent, brainstateStream, type SnapshotBound } from './domain/brainstate.events.js';
import { snapshotBody, type SnapshotRequest } from './domain/snapshot-request.js';
import type { SnapshotStore, StoredSnapshot } from './ports.js';
import { holdsPersonalData } from './redaction.js';

interface Binding {
  readonly snapshotId: string;
  readonly seed: string;
  readonly digest: string | undefined;
}

const BINDING_FOLD: Fold<Binding | null> = {
  name: 'brainstate-binding',
  initial: null,
  evolve: (_, { data, metadata }) => ({
    snapshotId: (data as unknown as SnapshotBound).brainstate_snapshot_id,
    seed: metadata.job_seed,
    digest: metadata.request_digest,
  }),
};

/** BrainState snapshots, each bound to the one job for which it was made. */
export class BrainStateSnapshots {
  private readonly warned = new Set<string>();

  /** @param warn told once of a snapshot that lacks constants, and of the defaults that stand for them (seed 003 section 11) */
  constructor(
    private readonly log: EventLog,
    private readonly snapshots: SnapshotStore,
    /** The constants in force. */
    private readonly constants: () => JsonObject,
    private readonly warn: (snapshotId: string, warnings: readonly ConstantWarning[]) => void,
  ) {}

  /**
   * Makes the snapshot on which the caller's job of this seed will run; the same request gives the same one.
   * @throws MaceError INVALID_INPUT, PRIVACY_BLOCKED, JOB_SEED_CONFLICT, IDEMPOTENCY_KEY_REUSED
   */
  async create(ctx: CommandContext, request: SnapshotRequest): Promise<string> {
    if (holdsPersonalData(request))
      throw new MaceError('PRIVACY_BLOCKED', 'a snapshot is kept for good and holds no personal data');
    const created_by = personOf(ctx.principal);
    const stream = bindingStream(created_by, request.job_seed);
    const { state: bound } = await this.log.fold(stream, BINDING_FOLD);
    refuseOther(bound, ctx);
    // The constants may have changed since: the same request still means the snapshot that it made.
    if (bound?.seed === ctx.seed) return bound.snapshotId;
    const body = snapshotBody(this.constants(), request, created_by);
    const { snapshot_id } = await this.snapshots.ensure('brainstate', body);
    const binding = brainstateEvent('BRAINSTATE_SNAPSHOT_BOUND', {
      brainstate_snapshot_id: snapshot_id,
      job_seed: request.job_seed,
      created_by,
      created_at: new Date(ctx.now).toISOString(),
    });
    await this.log.execute({
      stream,
      fold: BINDING_FOLD,
      provenance: provenanceOf(ctx),
      decide: (there) => {
        refuseOther(there, ctx);
        if (!there) return [binding];
        if (there.snapshotId === snapshot_id) return [];
        throw new MaceError('JOB_SEED_CONFLICT', `job_seed: ${request.job_seed} has another BrainState snapshot`);
      },
    });
    return snapshot_id;
  }

  /** Id of the snapshot that this person made for a job of this seed; null where the shared default is meant. */
  async forJob(userId: string, jobSeed: string): Promise<string | null> {
    const { state } = await this.log.fold(bindingStream(userId, jobSeed), BINDING_FOLD);
    return state?.snapshotId ?? null;
  }

  /** @throws MaceError NOT_FOUND where there is none, or none of BrainState */
  async load(id: string): Promise<StoredSnapshot> {
    const snapshot = await this.snapshots.load(id).catch((error: unknown) => {
      if (error instanceof MaceError && error.code === 'MISSING_SNAPSHOT') return null;
      throw error;
    });
    if (snapshot?.kind !== 'brainstate') throw new MaceError('NOT_FOUND', `no BrainState snapshot ${id}`);
    this.tellMissing(snapshot);
    return snapshot;
  }

  /** For operators: what a snapshot lacks is the default in every decision, now and in a replay. */
  private tellMissing({ snapshot_id, body }: StoredSnapshot): void {
    const { warnings } = resolveConstants(body);
    if (warnings.length === 0 || this.warned.has(snapshot_id)) return;
    this.warned.add(snapshot_id);
    this.warn(snapshot_id, warnings);
  }
}

/** An address that follows from whose job it is, so that the job finds its snapshot in one read. */
function bindingStream(userId: string, jobSeed: string): string {
  return brainstateStream(sha256Hex(`${userId}\n${jobSeed}`));
}

function refuseOther(binding: Binding | null, ctx: CommandContext): void {
  if (binding?.seed === ctx.seed) refuseOtherBody(binding.digest, ctx);
}
