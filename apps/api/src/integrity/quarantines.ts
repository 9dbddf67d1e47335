import { randomUUID } from 'node:crypto';

import type { EventLog } from '#lib/event-store';
import { type Snapshots, snapshotStream } from '#lib/governance';
import type { Fault, Quarantine } from '#lib/integrity';
import { type BesideLog, jobStream, type LogIndex } from '#lib/jobs';
import { type JsonObject, type Provenance, systemSeed, traceId } from '#lib/kernel';

/** A job whose record has a fault: its log is neither read nor replayed until an admin has verified it. */
export function jobQuarantine(log: EventLog, beside: BesideLog, index: LogIndex): Quarantine {
  return {
    prefix: jobStream(''),
    records: () => false,
    async take({ stream, revision, reason }: Fault, causeId) {
      const jobId = stream!.slice(jobStream('').length);
      const logId = (await storedLogId(log, stream!)) ?? (await index.ofJob(jobId))?.log_id ?? null;
      // A job without a log has none that could be read; its events are refused by their own check.
      if (logId === null) return;
      await beside.quarantineFor(logId, jobId, provenanceAfter(causeId), { revision: revision ?? 0, reason });
    },
  };
}

/** A snapshot that is not what was signed: jobs on it neither start nor replay. A fault of a flag is a reactor's. */
export function snapshotQuarantine({ halts }: Snapshots): Quarantine {
  const isOwn = ({ revision }: Fault): boolean => revision === 0;
  return {
    prefix: snapshotStream(''),
    records: isOwn,
    async take(fault) {
      if (!isOwn(fault)) return;
      const stream = fault.stream!;
      const snapshot_id = stream.slice(snapshotStream('').length);
      await halts.halt({ snapshot_id, stream, revision: 0, reason: fault.reason });
    },
  };
}

/** As the log says it itself, damaged or not; null where it says nothing that can be read. */
async function storedLogId({ store }: EventLog, stream: string): Promise<string | null> {
  const { events } = await store.readStream(stream, { limit: 4096 });
  const written = events.find(({ type }) => type === 'REFLECTIVE_LOG_WRITTEN');
  try {
    const { data } = JSON.parse(written?.text ?? '{}') as { readonly data?: JsonObject };
    const id = data?.['log_id'];
    return typeof id === 'string' && /^[0-9a-f]{64}$/.test(id) ? id : null;
  } catch {
    return null;
  }
}

function provenanceAfter(causeId: string | null): Provenance {
  const jobSeed = systemSeed('integrity', randomUUID());
  const cause = causeId === null ? {} : { causationId: causeId };
  return { jobSeed, sequenceIndex: 0, actor: { id: 'system', role: 'system' }, traceId: traceId(jobSeed), ...cause };
}
