import { type EventLog, IntegrityError } from '#lib/event-store';
import { type SnapshotFault, type Snapshots, type SnapshotSet, snapshotStream } from '#lib/governance';
import {
  compareEngine,
  compareRecorded,
  dataOf,
  type Effect,
  type EffectResult,
  type EngineComparison,
  type EngineInput,
  engineVersionOf,
  erasedRecord,
  holdsErased,
  type JobAccepted,
  loadJob,
  type NumberedEvent,
  type ReflectiveLogWritten,
  snapshotInput,
  type StoredJob,
} from '#lib/jobs';
import { canonicalize, developerMessage, type ErrorCode, InHandError, type JsonObject, MaceError } from '#lib/kernel';
import { reduceSnapshot } from '#lib/selfrep';

import { comparedStepOf, type ComparedStep } from './compared-steps.js';
import { dataFaultOf } from './data-fault.js';
import { engineDivergences, reductionDivergence } from './divergences.js';
import { checkErased } from './erased-inputs.js';
import type { Divergence } from './domain/divergence.js';
import type { ReplayStep, ReplayTimeout, Verdict } from './domain/replay.events.js';
import { checkWrites, missingWrite } from './memory-writes.js';
import { findMissing, unmade, unstored } from './missing.js';
import { tellComparedSteps } from './compared-telling.js';
import { lookingInto, MalformedRecordError } from './readable-record.js';
import { checkInput, checkRelease } from './recorded-input.js';
import { Deadline, LIMITS_UNKNOWN, type ReplayLimits, ReplayTimeoutError } from './replay-limits.js';
import { retiredSigner, retiredSnapshotSigner } from './retired-signer.js';
import { type BroughtReviews, missingRequest } from './review-requests.js';
import { checkTree, type SignedTree } from './signed-tree.js';
import { type Clock, StepList } from './step-list.js';
import { CorruptSnapshotError, freshSnapshots } from './fresh-snapshots.js';
import { checkIds, checkQuarantine, checkReferences, checkSeal } from './stored-checks.js';

/** What a replay reads; nothing else is within its reach. */
export interface ReplaySources {
  readonly log: EventLog;
  readonly snapshots: Snapshots;
  /** Absent where there is no Merkle log at hand: then nothing is told of it. */
  readonly tree?: SignedTree;
  /** Absent where nobody can tell: then no request for a review is missing. */
  readonly reviews?: BroughtReviews;
}

/** What answers an effect instead of the record. */
export interface EffectSupplier {
  /**
   * @param recorded what the record answers; null where it answers nothing
   * @returns null where nothing can answer: then the comparison ends there
   */
  supply(effect: Effect, recorded: EffectResult | null, run: SuppliedRun): Promise<EffectResult | null>;
}

export interface SuppliedRun {
  readonly input: EngineInput;
  readonly deadline: Deadline;
}

export interface ReplayOptions {
  readonly clock: Clock;
  /** Go on past differences to the end: only under recorded approvals. */
  readonly onward?: boolean;
  /** Absent where the record answers everything. */
  readonly effects?: EffectSupplier;
}

export interface ReplayFinding {
  readonly verdict: Verdict | null;
  readonly steps: readonly ReplayStep[];
  /** In order; one unless it went on. */
  readonly divergences: readonly Divergence[];
  readonly error_code: ErrorCode | null;
  /** Whose job it is; null where it could not be read. */
  readonly user_id: string | null;
  /** Snapshots of the job that are stored otherwise than they were signed. */
  readonly corrupt?: readonly SnapshotFault[];
  readonly timeout?: ReplayTimeout;
  /** What is absent is told, of a record that does not hold either: a removed event leaves a gap in its stream. */
  readonly tampered?: true;
  /** Of a refusal: what it is about, by the names of the error envelope's `meta`. */
  readonly about?: JsonObject;
}

/** What a replay has come to so far. */
interface Progress {
  readonly list: StepList;
  readonly begun: number;
  user_id: string | null;
  /** That of the job itself once its limits are read. */
  deadline: Deadline;
}

/**
 * Replays one job (seed 002 section 6): verifies what is stored, then runs the same engine over the recorded effects and
 * compares every computed object with the recorded one as canonical bytes. Writes nothing.
 * @throws MaceError NOT_FOUND for an unknown job, CONFLICT for one that still runs
 */
export async function replayJob(sources: ReplaySources, id: string, options: ReplayOptions): Promise<ReplayFinding> {
  const begun = options.clock();
  const deadline = new Deadline(options.clock, begun, LIMITS_UNKNOWN);
  const progress: Progress = { list: new StepList(options.clock), begun, user_id: null, deadline };
  const finding = await attempt(progress, () => verified(sources, id, options, progress));
  if (finding.error_code !== 'INTEGRITY_FAILURE' && finding.error_code !== 'DATA_UNAVAILABLE') return finding;
  return attempt(progress, () => absentFirst(sources, id, options, progress, finding));
}

/** What is absent is told first, also where that is why something else does not verify. */
async function absentFirst(
  { log, reviews }: ReplaySources,
  id: string,
  options: ReplayOptions,
  { deadline }: Progress,
  finding: ReplayFinding,
): Promise<ReplayFinding> {
  const missing = await findMissing(log, id, () => deadline.check(null), reviews);
  if (!missing) return finding;
  const first = new StepList(options.clock);
  first.failed('artifacts', missing.detail);
  const { error_code, about } = missing;
  const tampered = finding.error_code === 'INTEGRITY_FAILURE' ? { tampered: true as const } : {};
  return { ...finding, ...tampered, steps: first.steps, error_code, about };
}

/** Audit replay of one job by its record alone: `replayJob` as most ask for it. */
export function auditJob(log: EventLog, snapshots: Snapshots, id: string, tree?: SignedTree): Promise<ReplayFinding> {
  return replayJob({ log, snapshots, ...(tree ? { tree } : {}) }, id, { clock: () => performance.now() });
}

/** Whether all that stands against a job is that a snapshot of it is halted: what is stored is what was signed. */
export function isHalted({ error_code, about }: ReplayFinding): boolean {
  return error_code === 'INTEGRITY_FAILURE' && about?.['cause_event_id'] !== undefined;
}

async function attempt(progress: Progress, run: () => Promise<ReplayFinding>): Promise<ReplayFinding> {
  const { list } = progress;
  try {
    return await run();
  } catch (error) {
    if (error instanceof CorruptSnapshotError) {
      list.failed('snapshots', error.message);
      return { ...refused(progress, 'INTEGRITY_FAILURE'), corrupt: error.faults };
    }
    if (error instanceof IntegrityError) {
      list.failed(error.stream.startsWith('module-') ? 'trust reductions' : 'signatures and hash chain', error.message);
      return refused(progress, 'INTEGRITY_FAILURE');
    }
    if (error instanceof MalformedRecordError) {
      list.failed('log references', error.message);
      return refused(progress, 'INTEGRITY_FAILURE');
    }
    if (error instanceof ReplayTimeoutError) {
      list.failed('time and iterations', error.message);
      return { ...refused(progress, 'REPLAY_TIMEOUT'), timeout: error.timeout };
    }
    if (error instanceof MaceError && (error.code === 'MISSING_SNAPSHOT' || error.code === 'INTEGRITY_FAILURE')) {
      list.failed(error.code === 'MISSING_SNAPSHOT' ? 'artifacts' : 'snapshots', error.developerMessage);
      return { ...refused(progress, error.code), about: error.meta };
    }
    const fault = dataFaultOf(error);
    if (!fault) throw error;
    list.failed(fault.step, fault.detail);
    // Nobody's: what keeps a person's words from being read keeps a record about the person from being written.
    return { ...refused(progress, fault.error_code), user_id: null };
  }
}

async function verified(
  sources: ReplaySources,
  id: string,
  options: ReplayOptions,
  progress: Progress,
): Promise<ReplayFinding> {
  const { log, snapshots } = sources;
  const { list } = progress;
  const job = await lookingInto(() => loadJob(log, id));
  if (!job) throw new MaceError('NOT_FOUND', `no job ${id}`);
  if (!job.sealed) throw new InHandError(`job ${id} still runs; only a sealed job can be replayed`);
  progress.user_id = job.events[0]!.data['user_id'] as string;
  const retired = await retiredSigner(log, job);
  if (retired !== null) {
    list.failed('signatures and hash chain', retired);
    return refused(progress, 'INTEGRITY_FAILURE');
  }
  list.ok('signatures and hash chain', job.events.length, 'every event is signed and follows the one before');
  await lookingInto(() => {
    checkSeal(job, list);
    checkIds(job, list);
    checkReferences(job, list);
  });
  await checkWrites(log, job.events, list);
  await checkQuarantine(log, job, list);
  await lookingInto(() => checkInput(job, list));
  if (!list.hasFailed) await checkRelease(log, job, list);
  if (list.hasFailed) return refused(progress, 'INTEGRITY_FAILURE');
  const unwritten = await missingWrite(log, job.events);
  if (unwritten !== null) {
    list.failed('artifacts', unstored(unwritten));
    return { ...refused(progress, 'MISSING_PERSISTED_AGENT_OUTPUT'), about: { event_id: unwritten } };
  }
  const unasked = await missingRequest(log, sources.reviews, job.events);
  if (unasked !== null) {
    list.failed('artifacts', unmade(unasked));
    return { ...refused(progress, 'MISSING_PERSISTED_AGENT_OUTPUT'), about: { request_id: unasked } };
  }
  const missing = missingArtifacts(job);
  if (missing.length > 0) {
    const artifacts = missing.join(', ');
    list.failed('artifacts', developerMessage('MISSING_PERSISTED_AGENT_OUTPUT', 'not_kept', { artifacts }));
    return refused(progress, 'MISSING_PERSISTED_AGENT_OUTPUT');
  }
  const isErased = holdsErased(job);
  if (isErased) await checkErased(log, id, list);
  if (list.hasFailed) return refused(progress, 'INTEGRITY_FAILURE');
  const set = await freshSnapshots(snapshots, job);
  const retiredOf = await retiredSnapshotSigner(log, set);
  if (retiredOf !== null) {
    list.failed('snapshots', retiredOf);
    return refused(progress, 'INTEGRITY_FAILURE');
  }
  list.ok('snapshots', Object.keys(set).length, 'every snapshot is signed and its id follows from its body');
  const deadline = new Deadline(options.clock, progress.begun, set.governance.body as unknown as ReplayLimits);
  progress.deadline = deadline;
  deadline.checkIterations(job.events.filter(({ type }) => type === 'ROUTER_DECISION').length);
  const reduced = await reductionOf(sources, set, list);
  deadline.check(null);
  if (reduced && !options.onward) return mismatch(progress, [reduced]);
  const compared = await computedAgain(job, set, options, deadline, list, isErased);
  const divergences = [...(reduced ? [reduced] : []), ...compared];
  if (divergences.length > 0) return mismatch(progress, divergences);
  // Last: of a record that was signed again, where it differs is told rather than that it does.
  if (sources.tree) await checkTree(sources.tree, log, job, list);
  if (list.hasFailed) return refused(progress, 'INTEGRITY_FAILURE');
  const verdict = isErased ? 'MATCH_WITH_ERASED_INPUTS' : 'MATCH';
  return { verdict, steps: list.steps, divergences, error_code: null, user_id: progress.user_id };
}

function refused({ list, user_id }: Progress, error_code: ErrorCode): ReplayFinding {
  return { verdict: null, steps: list.steps, divergences: [], error_code, user_id };
}

function mismatch({ list, user_id }: Progress, divergences: readonly Divergence[]): ReplayFinding {
  return { verdict: 'MISMATCH', steps: list.steps, divergences, error_code: divergences[0]!.error_code, user_id };
}

/** What was not kept of a job, as it says itself at its end. */
function missingArtifacts(job: StoredJob): readonly string[] {
  const log = dataOf<ReflectiveLogWritten>(job.events, 'REFLECTIVE_LOG_WRITTEN');
  return log?.replayable === false ? log.missing_artifacts : [];
}

/** The modules' trust as the pinned snapshot shows it, reduced again from their own events. */
async function reductionOf(
  { log, snapshots }: ReplaySources,
  set: SnapshotSet,
  list: StepList,
): Promise<Divergence | null> {
  const { modules, difference } = await reduceSnapshot(log, set.selfrep, (id) => snapshots.load(id));
  if (!difference) {
    list.ok(
      'trust reductions',
      modules,
      'each module is what its own events come to, every step of trust by the formulas',
    );
    return null;
  }
  const divergence = reductionDivergence(snapshotStream(difference.snapshot_id), difference);
  list.failed('trust reductions', `${divergence.pointer} of ${divergence.stream} differs`, modules);
  return divergence;
}

async function computedAgain(
  job: StoredJob,
  set: SnapshotSet,
  { onward = false, effects }: ReplayOptions,
  deadline: Deadline,
  list: StepList,
  isErased: boolean,
): Promise<readonly Divergence[]> {
  // Which detector it was follows from the pinned snapshot; that it says so itself would be compared with itself.
  const detectorVersion = canonicalize(set.privacy.body['detector_version'] ?? null);
  const asked: EngineInput = { detectorVersion, ...engineOrigin(job), ...snapshotInput(set) };
  const erased = isErased ? await lookingInto(() => erasedRecord(job.history.events)) : undefined;
  const input = erased ? { ...asked, accepted: erased.accepted, taken: erased.taken } : asked;
  const costs = new Map<ComparedStep, number>();
  const onEvent = ({ type }: NumberedEvent, index: number): void => {
    const step = comparedStepOf(type);
    if (step) costs.set(step, (costs.get(step) ?? 0) + list.lap());
    deadline.check(index);
  };
  const { events } = job.history;
  // Nobody can be asked again what was erased.
  const compared =
    effects && !erased
      ? await compareSupplied(input, events, { onward, onEvent }, effects, deadline)
      : compareRecorded(input, events, { onward, onEvent, ...(erased ? { erased } : {}) });
  const divergences = engineDivergences(job, compared);
  tellComparedSteps(list, job.events, compared, divergences, { costs, isErased });
  return divergences;
}

async function compareSupplied(
  input: EngineInput,
  events: readonly NumberedEvent[],
  options: Parameters<typeof compareEngine>[2],
  effects: EffectSupplier,
  deadline: Deadline,
): Promise<EngineComparison> {
  const comparison = compareEngine(input, events, options);
  let step = comparison.next();
  while (!step.done) {
    const { effect, recorded } = step.value;
    step = comparison.next(await effects.supply(effect, recorded, { input, deadline }));
    deadline.check(null);
  }
  return step.value;
}

function engineOrigin(job: StoredJob) {
  const pinned = job.history.events[1]!.data;
  return {
    jobSeed: job.origin.job_seed,
    engineVersion: engineVersionOf(pinned['engine_version']),
    accepted: job.history.events[0]!.data as unknown as JobAccepted,
    systemVersion: pinned['system_version'] as string,
  };
}
