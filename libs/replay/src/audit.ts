import { type EventLog, IntegrityError } from '#lib/event-store';
import { type Snapshot, type SnapshotFault, type Snapshots, snapshotStream } from '#lib/governance';
import {
  dataOf,
  holdsErased,
  identified,
  isQuarantined,
  type JobAccepted,
  loadJob,
  logFault,
  type NumberedEvent,
  pinnedSnapshots,
  type ReflectiveLogWritten,
  replayEngine,
  snapshotInput,
  type StoredJob,
} from '#lib/jobs';
import { type ErrorCode, jobId, logId, MaceError, queryId, timestampSeeded, traceId, type Json } from '#lib/kernel';

import { COMPARED_STEPS, comparedStepOf } from './compared-steps.js';
import { differences } from './domain/diff.js';
import type { Divergence, ReplayStep, Verdict } from './domain/replay.events.js';

export interface AuditFinding {
  readonly verdict: Verdict | null;
  readonly steps: readonly ReplayStep[];
  readonly divergence: Divergence | null;
  readonly error_code: ErrorCode | null;
  /** Whose job it is; null where it could not be read. */
  readonly user_id: string | null;
  /** Snapshots of the job that are stored otherwise than they were signed. */
  readonly corrupt?: readonly SnapshotFault[];
}

/**
 * Audit replay of one job (seed 002 section 6): verifies what is stored, then runs the same engine over the recorded
 * effects and compares every computed object with the recorded one as canonical bytes. Writes nothing.
 * @throws MaceError NOT_FOUND for an unknown job, CONFLICT for one that still runs
 */
export async function auditJob(log: EventLog, snapshots: Snapshots, id: string): Promise<AuditFinding> {
  const steps: ReplayStep[] = [];
  let user_id: string | null = null;
  try {
    const job = await loadJob(log, id);
    if (!job) throw new MaceError('NOT_FOUND', `no job ${id}`);
    if (!job.sealed) throw new MaceError('CONFLICT', `job ${id} still runs; only a sealed job can be replayed`);
    user_id = job.events[0]!.data['user_id'] as string;
    steps.push(ok('signatures and hash chain', job.events.length, 'every event is signed and follows the one before'));
    steps.push(checkSeal(job), checkIds(job), checkReferences(job), await checkQuarantine(log, job));
    if (steps.some(({ verdict }) => verdict === 'failed')) return refused(steps, 'INTEGRITY_FAILURE', user_id);
    const missing = missingArtifacts(job);
    if (missing.length > 0) {
      const detail = `the job says of itself that it cannot be replayed: ${missing.join(', ')}`;
      return refused([...steps, failed('artifacts', detail)], 'MISSING_PERSISTED_AGENT_OUTPUT', user_id);
    }
    const set = await freshSnapshots(snapshots, job);
    steps.push(ok('snapshots', Object.keys(set).length, 'every snapshot is signed and its id follows from its body'));
    if (holdsErased(job)) {
      steps.push(...erasedSteps(job));
      return { verdict: 'MATCH_WITH_ERASED_INPUTS', steps, divergence: null, error_code: null, user_id };
    }
    const rerun = replayEngine({ ...engineOrigin(job), ...snapshotInput(set) }, job.history.events);
    const divergence = rerun.difference ? divergenceOf(rerun.difference) : null;
    steps.push(...comparedSteps(job, rerun.matched, divergence));
    return {
      verdict: divergence ? 'MISMATCH' : 'MATCH',
      steps,
      divergence,
      error_code: divergence?.error_code ?? null,
      user_id,
    };
  } catch (error) {
    if (error instanceof CorruptSnapshotError) {
      const finding = refused([...steps, failed('snapshots', error.message)], 'INTEGRITY_FAILURE', user_id);
      return { ...finding, corrupt: error.faults };
    }
    if (error instanceof IntegrityError) {
      return refused([...steps, failed('signatures and hash chain', error.message)], 'INTEGRITY_FAILURE', user_id);
    }
    if (error instanceof MaceError && (error.code === 'MISSING_SNAPSHOT' || error.code === 'INTEGRITY_FAILURE')) {
      return refused([...steps, failed('snapshots', error.developerMessage)], error.code, user_id);
    }
    throw error;
  }
}

/** A snapshot that a job stands on is not what was signed. */
class CorruptSnapshotError extends Error {
  constructor(
    readonly faults: readonly SnapshotFault[],
    { message }: IntegrityError,
  ) {
    super(message);
    this.name = 'CorruptSnapshotError';
  }
}

function refused(steps: readonly ReplayStep[], error_code: ErrorCode, user_id: string | null): AuditFinding {
  return { verdict: null, steps, divergence: null, error_code, user_id };
}

function checkSeal(job: StoredJob): ReplayStep {
  const count = job.history.events.at(-1)!.data['count'];
  const before = job.events.length - 1;
  return count === before
    ? ok('seal', 1, `the seal counts the ${before} events before it and names the last by its hash`)
    : failed('seal', `the seal counts ${JSON.stringify(count)} events; ${before} stand before it`);
}

function checkIds(job: StoredJob): ReplayStep {
  const seed = job.origin.job_seed;
  const accepted = job.history.events[0]!.data as unknown as JobAccepted;
  const log = job.events.find((event) => event.type === 'REFLECTIVE_LOG_WRITTEN');
  const written = log && timestampSeeded(seed, log.metadata.sequence_index);
  const sound =
    accepted.job_id === jobId(seed) &&
    accepted.query_id === queryId(seed) &&
    job.origin.trace_id === traceId(seed) &&
    log?.data['log_id'] === logId(accepted.query_id, written ?? '', seed);
  return sound
    ? ok('ids', job.events.length + 4, 'event, job, query, trace and log ids follow from the seed')
    : failed('ids', 'an id does not follow from the job’s seed');
}

function checkReferences(job: StoredJob): ReplayStep {
  const fault = logFault(identified(job));
  return fault === null
    ? ok('log references', job.events.length, 'outputs and votes are those that the log names by hash')
    : failed('log references', fault);
}

/** A log that once failed its check is not trusted again before an admin looked (spec/decisions.md "ReflectiveLog"). */
async function checkQuarantine(log: EventLog, job: StoredJob): Promise<ReplayStep> {
  return (await isQuarantined(log, job.result.log_id ?? ''))
    ? failed('quarantine', 'its log failed a check and is quarantined until an admin verifies it again')
    : ok('quarantine', 1, 'its log is not quarantined');
}

/** @throws CorruptSnapshotError; MaceError MISSING_SNAPSHOT, INTEGRITY_FAILURE for one that is halted */
function freshSnapshots(snapshots: Snapshots, job: StoredJob) {
  const ids = (job.history.events[1]?.data['snapshots'] ?? {}) as Record<string, string>;
  const load = async (id: string): Promise<Snapshot> => {
    const snapshot = await snapshots.loadFresh(id).catch((error: unknown) => {
      throw error instanceof IntegrityError ? corrupt(id, error) : error;
    });
    if (!snapshot) throw new MaceError('MISSING_SNAPSHOT', `snapshot ${id} is not stored`, { snapshot_id: id });
    await snapshots.halts.refuse([id]);
    return snapshot;
  };
  /** Of the modules, which are snapshots too, no job says by itself that it stands on them. */
  const corrupt = (id: string, error: IntegrityError): CorruptSnapshotError => {
    const { job_id } = job.result;
    const pinned = Object.values(ids).includes(id) ? [id] : [id, ids['selfrep']!];
    const fault = { stream: snapshotStream(id), revision: error.revision, reason: error.reason, job_id };
    return new CorruptSnapshotError(
      pinned.map((snapshot_id) => ({ ...fault, snapshot_id })),
      error,
    );
  };
  return pinnedSnapshots({ load }, ids);
}

function engineOrigin(job: StoredJob) {
  const pinned = job.history.events[1]!.data;
  return {
    jobSeed: job.origin.job_seed,
    accepted: job.history.events[0]!.data as unknown as JobAccepted,
    systemVersion: pinned['system_version'] as string,
    detectorVersion: pinned['detector_version'] as string,
  };
}

function divergenceOf(difference: {
  readonly index: number;
  readonly computed: NumberedEvent | null;
  readonly recorded: NumberedEvent | null;
}): Divergence {
  const { index, computed, recorded } = difference;
  const event_type = recorded?.type ?? computed?.type ?? 'none';
  const found = differences(viewOf(recorded), viewOf(computed));
  const inAnswer =
    event_type === 'REFLECTIVE_LOG_WRITTEN' && found.some((d) => d.pointer.startsWith('/data/final_answer'));
  return {
    error_code: inAnswer ? 'RESULT_MISMATCH' : 'REPLAY_DIVERGENCE',
    event_number: index,
    event_type,
    differences: found,
  };
}

function viewOf(event: NumberedEvent | null): Json | undefined {
  return event ? { type: event.type, sequence_index: event.sequenceIndex, data: event.data } : undefined;
}

function comparedSteps(job: StoredJob, matched: number, divergence: Divergence | null): ReplayStep[] {
  const same = job.events.slice(0, matched);
  const differing = divergence && comparedStepOf(divergence.event_type);
  const steps = COMPARED_STEPS.flatMap((step) => {
    const checked = same.filter((event) => comparedStepOf(event.type) === step).length;
    if (step === differing) return [differs(step, divergence!, checked)];
    return checked === 0 ? [] : [ok(step, checked, 'computed again, byte for byte the same')];
  });
  return divergence && differing === null ? [...steps, differs('events of no known step', divergence, 0)] : steps;
}

/**
 * Everything that a job computes follows from what was asked, so that with an erased question no step is computed again:
 * the recorded objects are taken, and what proves them is what was checked before (spec/privacy.md).
 */
function erasedSteps(job: StoredJob): ReplayStep[] {
  return COMPARED_STEPS.flatMap((step) => {
    const checked = job.events.filter((event) => comparedStepOf(event.type) === step).length;
    return checked === 0 ? [] : [erased(step, checked)];
  });
}

function differs(step: string, { event_number, event_type }: Divergence, checked: number): ReplayStep {
  return failed(step, `event ${event_number} (${event_type}) differs`, checked);
}

/** What was not kept of a job, as it says itself at its end. */
function missingArtifacts(job: StoredJob): readonly string[] {
  const log = dataOf<ReflectiveLogWritten>(job.events, 'REFLECTIVE_LOG_WRITTEN');
  return log?.replayable === false ? log.missing_artifacts : [];
}

function ok(step: string, checked: number, detail: string): ReplayStep {
  return { step, verdict: 'ok', checked, detail };
}

function erased(step: string, checked: number): ReplayStep {
  const detail = 'its input was erased: the recorded objects are taken, their hashes and signatures hold';
  return { step, verdict: 'erased', checked, detail };
}

function failed(step: string, detail: string, checked = 0): ReplayStep {
  return { step, verdict: 'failed', checked, detail };
}
