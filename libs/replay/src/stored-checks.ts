import { type EventLog, isErased } from '#lib/event-store';
import {
  dataOf,
  identified,
  isQuarantined,
  type JobAccepted,
  logFault,
  type ReflectiveLogWritten,
  type StoredJob,
} from '#lib/jobs';
import { jobId, logId, queryId, timestampSeeded, traceId } from '#lib/kernel';

import { envelopeFault } from './recorded-input.js';
import type { StepList } from './step-list.js';

/** Checks of a job's record that need nothing but the record (seed 002 sections 3 and 5). */

export function checkSeal(job: StoredJob, list: StepList): void {
  const count = job.history.events.at(-1)!.data['count'];
  const before = job.events.length - 1;
  if (count === before)
    list.ok('seal', 1, `the seal counts the ${before} events before it and names the last by its hash`);
  else list.failed('seal', `the seal counts ${JSON.stringify(count)} events; ${before} stand before it`);
}

export function checkIds(job: StoredJob, list: StepList): void {
  const seed = job.origin.job_seed;
  const accepted = job.history.events[0]!.data as unknown as JobAccepted;
  const log = job.events.find((event) => event.type === 'REFLECTIVE_LOG_WRITTEN');
  const written = log && timestampSeeded(seed, log.metadata.sequence_index);
  const sound =
    accepted.job_id === jobId(seed) &&
    accepted.query_id === queryId(seed) &&
    job.origin.trace_id === traceId(seed) &&
    log?.data['log_id'] === logId(accepted.query_id, written ?? '', seed);
  const fault = sound ? envelopeFault(job) : 'an id does not follow from the job’s seed';
  if (fault === null) {
    const detail =
      'event, job, query, trace and log ids follow from the seed; each event names who asked and what came before';
    list.ok('ids', job.events.length + 4, detail);
  } else list.failed('ids', fault);
}

export function checkReferences(job: StoredJob, list: StepList): void {
  const fault = logFault(identified(job));
  const { agent_outputs, council_votes } = dataOf<ReflectiveLogWritten>(job.events, 'REFLECTIVE_LOG_WRITTEN') ?? {};
  if (fault === null && (isErased(agent_outputs) || isErased(council_votes))) {
    list.erased(
      'log references',
      job.events.length,
      'the hashes that the log names were erased: its references are there',
    );
  } else if (fault === null) {
    list.ok('log references', job.events.length, 'outputs and votes are those that the log names by hash');
  } else list.failed('log references', fault);
}

/** A log that once failed its check is not trusted again before an admin looked (spec/decisions.md "ReflectiveLog"). */
export async function checkQuarantine(log: EventLog, job: StoredJob, list: StepList): Promise<void> {
  if (await isQuarantined(log, job.result.log_id ?? '')) {
    list.failed('quarantine', 'its log failed a check and is quarantined until an admin verifies it again');
  } else list.ok('quarantine', 1, 'its log is not quarantined');
}
