import { appendFileSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';

import { type EventLog, type EventStore, openStreamReader, START } from '#lib/event-store';
import { Snapshots } from '#lib/governance';
import { jobStream } from '#lib/jobs';
import type { KeyRing } from '#lib/kernel';
import { openSignedReader, type ProofLog, signedLeaves } from '#lib/proof';
import { auditJob, RangeReplayer, signedBy, type Verdict } from '#lib/replay';

import { EVENT_DEFINITIONS } from '../../apps/api/src/event-definitions.js';
import { createLogger } from '../../apps/api/src/edge/log.js';
import { readConfig } from '../../apps/api/src/platform.config.js';
import { openPlatform } from '../../apps/api/src/platform.js';
import { knownEventStore } from './served-event-store.js';

/** Jobs of a log that a test means not to replay, by job_id. */
export interface Declared {
  /** Changed on purpose: their replay must not be a MATCH, and must not be left out either. */
  readonly tampered?: readonly string[];
  /** Left without a seal on purpose. */
  readonly unsealed?: readonly string[];
  /** Of a person who was erased: their replay must say so. */
  readonly erased?: readonly string[];
}

/** Where each check leaves its count; the reporter, which adds them up, names the folder. */
export const TALLY_VARIABLE = 'MACE_REPLAY_TALLY';

/** What a log is replayed from. */
export interface Replayable {
  readonly events: EventLog;
  readonly eventStore: EventStore;
  readonly snapshots: Snapshots;
  /** Keys that verify snapshots. */
  readonly ring: KeyRing;
  /** The Merkle log, where there is one. */
  readonly proof?: ProofLog;
  /** Path of the data folder, where many jobs are to be read from its files. */
  readonly folder?: string;
}

/**
 * Replays every job of a log in audit mode, and looks for two events of one id. Writes nothing into it.
 * @returns how many were a MATCH
 * @throws Error naming each job that is none and the first divergence, or whose declaration is wrong, or a shared id
 */
export async function everyJobReplays(log: Replayable, declared: Declared = {}): Promise<number> {
  const { tampered = [], unsealed = [], erased = [] } = declared;
  const faults: string[] = [];
  let matched = 0;
  const jobs = await jobsOf(log.eventStore);
  const verdicts = await certainVerdicts(
    log,
    jobs.flatMap(({ job_id, sealed }) => (sealed ? [job_id] : [])),
  );
  for (const { job_id, sealed } of jobs) {
    if (sealed === unsealed.includes(job_id)) {
      faults.push(`${job_id}: ${sealed ? 'is sealed, and declared unsealed' : 'has no seal, and is not declared so'}`);
    } else if (sealed) {
      const wanted = erased.includes(job_id) ? 'MATCH_WITH_ERASED_INPUTS' : 'MATCH';
      const fault = verdicts.get(job_id) === wanted ? null : await divergenceOf(log, job_id, wanted);
      if (fault === null && !erased.includes(job_id)) matched++;
      if (fault === null && tampered.includes(job_id))
        faults.push(`${job_id}: is declared tampered, and replays to MATCH`);
      if (fault !== null && !tampered.includes(job_id)) faults.push(`${job_id}: ${fault}`);
    }
  }
  faults.push(...(await sharedEventIds(log.eventStore)));
  const known = new Set(jobs.map(({ job_id }) => job_id));
  for (const id of [...tampered, ...unsealed, ...erased])
    if (!known.has(id)) faults.push(`${id}: is declared, and is not there`);
  if (faults.length > 0)
    throw new Error(
      `the log made here is not sound, or not every job of it replays to MATCH:\n  ${faults.join('\n  ')}`,
    );
  tally(matched, tampered.length);
  return matched;
}

/**
 * The same for the data folder of a server that has ended.
 * @param settings where its events lie, unless `servedEventStore` was asked for that folder
 */
export async function everyServedJobReplays(
  dataDir: string,
  declared: Declared = {},
  settings = knownEventStore(dataDir),
): Promise<number> {
  const config = readConfig({ MACE_DATA_DIR: dataDir, MACE_LOG_LEVEL: 'silent', ...settings });
  const platform = await openPlatform(config, EVENT_DEFINITIONS, createLogger(config));
  const { events, eventStore, proof, ring } = platform;
  const log = { events, eventStore, proof, ring, snapshots: new Snapshots(events, ring), folder: dataDir };
  try {
    return await everyJobReplays(log, declared);
  } finally {
    await platform.close();
  }
}

async function jobsOf(store: EventStore): Promise<{ readonly job_id: string; readonly sealed: boolean }[]> {
  const accepted = new Set<string>();
  const sealed = new Set<string>();
  let after = START;
  for (;;) {
    const page = await store.readAll({ after, limit: 1000, types: ['JOB_ACCEPTED', 'JOB_SEALED'] });
    for (const { stream, type } of page.events) (type === 'JOB_SEALED' ? sealed : accepted).add(stream);
    if (page.atHead) break;
    after = page.scannedTo;
  }
  const prefix = jobStream('').length;
  return [...new Set([...accepted, ...sealed])].map((stream) => ({
    job_id: stream.slice(prefix),
    sealed: sealed.has(stream),
  }));
}

/** A store keeps ids unique within a stream only; an id names one event of the whole log (spec/kernel.md, "Seeds"). */
async function sharedEventIds(store: EventStore): Promise<string[]> {
  const streams = new Map<string, string>();
  const faults: string[] = [];
  let after = START;
  for (;;) {
    const page = await store.readAll({ after, limit: 1000 });
    for (const { id, stream } of page.events) {
      const other = streams.get(id);
      if (other !== undefined) faults.push(`event ${id}: stands in ${other} and in ${stream}`);
      streams.set(id, stream);
    }
    if (page.atHead) return faults;
    after = page.scannedTo;
  }
}

/** Jobs that a range makes at once. */
const RANGE = 128;

/** As a sweep finds them, of the jobs of which it is certain; whatever else there is, is for the replay of that job to say. */
async function certainVerdicts(log: Replayable, jobs: readonly string[]): Promise<ReadonlyMap<string, Verdict>> {
  if (jobs.length === 0) return new Map();
  const { events, eventStore, ring, proof, folder } = log;
  const ofFolder = folder !== undefined && eventStore.count ? folder : null;
  const reader = ofFolder === null ? null : openStreamReader(ofFolder);
  const signed = ofFolder === null || !proof ? null : openSignedReader(ofFolder, await covering(log, proof));
  const tree = signed ? signedBy(signed) : proof && signedLeaves(proof);
  const reads = reader ?? eventStore;
  const clock = (): number => performance.now();
  const range = new RangeReplayer({ reads, codec: events.codec, ring, clock, ...(tree ? { tree } : {}) });
  const verdicts = new Map<string, Verdict>();
  try {
    for (let i = 0; i < jobs.length; i += RANGE) {
      const part = jobs.slice(i, i + RANGE);
      const { erased, open } = await range.replay(part);
      for (const id of part) if (!open.includes(id)) verdicts.set(id, 'MATCH');
      for (const id of erased) verdicts.set(id, 'MATCH_WITH_ERASED_INPUTS');
    }
  } finally {
    reader?.close();
    signed?.close();
  }
  return verdicts;
}

/** A test's patience, and no measure. */
const COVERED_WITHIN_MS = 60_000;

async function covering({ eventStore }: Replayable, proof: ProofLog) {
  return proof.covering(await eventStore.head(), COVERED_WITHIN_MS);
}

/** What keeps a job from the verdict that it should have; null where nothing does. */
async function divergenceOf(
  { events, snapshots, proof }: Replayable,
  jobId: string,
  wanted: Verdict,
): Promise<string | null> {
  const tree = proof && signedLeaves(proof);
  const { verdict, error_code, steps, divergences } = await auditJob(events, snapshots, jobId, tree);
  if (verdict === wanted) return null;
  const step = steps.find((one) => one.verdict === 'failed');
  return `${error_code ?? verdict ?? 'no verdict'} at ${step?.step ?? 'no step'}: ${JSON.stringify(divergences[0] ?? step?.detail)}`;
}

function tally(matched: number, tampered: number): void {
  const folder = process.env[TALLY_VARIABLE];
  if (folder === undefined) return;
  mkdirSync(folder, { recursive: true });
  appendFileSync(join(folder, `${process.pid}.jsonl`), `${JSON.stringify({ matched, tampered })}\n`);
}
