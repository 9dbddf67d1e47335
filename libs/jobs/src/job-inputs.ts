import { personOf } from '#lib/access';
import type { BrainStateSnapshots } from '#lib/brainstate';
import { chunksIn, type Snapshot, type Snapshots, type SnapshotSet } from '#lib/governance';
import { type Actor, isCallerSeed, MaceError } from '#lib/kernel';

import type { JobAccepted } from './domain/jobs.events.js';
import { artifactName } from './domain/missing.js';
import { ENGINE_VERSION, type EngineVersion, engineVersionOf } from './engine/engine-version.js';
import type { EngineInput, JobLimits } from './engine/input.js';
import type { Unfinishable } from './job-closing.js';
import { holdsErased, type StoredJob } from './job-store.js';
import type { QueryScreen } from './query-screen.js';
import { pinnedSnapshots, snapshotInput } from './snapshot-input.js';

/** Limits of the governance snapshot that apply before a job begins. */
export interface DeskLimits extends JobLimits {
  readonly max_query_length: number;
}

/** What jobs decide on: a new one on the snapshots of now, one that was left on those that it pinned. */
export class JobInputs {
  constructor(
    private readonly snapshots: Snapshots,
    private readonly current: SnapshotSet,
    private readonly brainStates: Pick<BrainStateSnapshots, 'forJob'>,
    private readonly systemVersion: string,
    private readonly detector: Pick<QueryScreen, 'version'>,
  ) {}

  get limits(): DeskLimits {
    return this.current.governance.body as unknown as DeskLimits;
  }

  /**
   * On the snapshots of now, and on that of BrainState which whoever asks made under this seed.
   * @throws MaceError INTEGRITY_FAILURE where one of them is halted
   */
  async ofNew(jobSeed: string, accepted: JobAccepted, by: Actor): Promise<EngineInput> {
    const own = isCallerSeed(jobSeed) ? await this.brainStates.forJob(personOf(by), jobSeed) : null;
    // Taken only now, all at once: what changed while the other was looked for must not be mixed in.
    const { router, brainstate, selfrep, governance, privacy, safety } = this.current;
    const made = own === null ? brainstate : await this.snapshots.loadOrHalt(own);
    const set = { router, brainstate: made, selfrep, governance, privacy, safety };
    await this.refuseHalted(set);
    return inputWith(jobSeed, ENGINE_VERSION, accepted, set, this.systemVersion, this.detector.version);
  }

  /**
   * From its record; or why it cannot be given again.
   * @throws MaceError INTEGRITY_FAILURE where a snapshot of it is halted or damaged: it is left as it is until that is cleared
   */
  async ofLeft(stored: StoredJob): Promise<EngineInput | Unfinishable> {
    if (holdsErased(stored)) {
      return { reason: 'what it was asked was erased', missing: artifactName('input', 'query_text') };
    }
    const [first, second] = stored.history.events;
    const accepted = first!.data as unknown as JobAccepted;
    const { job_seed, actor } = stored.origin;
    const pinned = second?.data;
    if (pinned?.['snapshots'] === undefined) return this.ofNew(job_seed, accepted, actor);
    try {
      const load = (id: string): Promise<Snapshot> => this.snapshots.loadOrHalt(id);
      const set = await pinnedSnapshots({ load }, pinned['snapshots'] as Record<string, string>);
      await this.refuseHalted(set);
      const { system_version, detector_version } = pinned;
      const engine = engineVersionOf(pinned['engine_version']);
      return inputWith(job_seed, engine, accepted, set, system_version as string, detector_version as string);
    } catch (error) {
      if (!(error instanceof MaceError && error.code === 'MISSING_SNAPSHOT')) throw error;
      const missing = artifactName('snapshot', (error.meta['snapshot_id'] as string | undefined) ?? 'unknown');
      return { reason: error.developerMessage, missing };
    }
  }

  /** The modules of the selfrep snapshot are snapshots too. @throws MaceError INTEGRITY_FAILURE */
  private refuseHalted(set: SnapshotSet): Promise<void> {
    const ids = Object.values(set).map(({ snapshot_id }) => snapshot_id);
    return this.snapshots.halts.refuse([...ids, ...chunksIn(set.selfrep.body)]);
  }
}

function inputWith(
  jobSeed: string,
  engineVersion: EngineVersion,
  accepted: JobAccepted,
  set: SnapshotSet,
  systemVersion: string,
  detectorVersion: string,
): EngineInput {
  return { jobSeed, engineVersion, accepted, systemVersion, detectorVersion, ...snapshotInput(set) };
}
