import type { EventStore, RecordedEvent } from '#lib/event-store';
import type { StreamLeaves } from '#lib/integrity';
import { type CheckpointRecord, leafFinding, type ProofLog } from '#lib/proof';

const PAGE = 256;

interface Signed {
  readonly log: ProofLog;
  readonly store: EventStore;
  readonly timeoutMs: number;
}

/**
 * The first event of a stream that is not the leaf that was signed. The events after it, which were signed again with it,
 * are counted in its reason and are no faults of their own.
 * @param version how many events of it to look at
 * @throws MaceError WAIT_TIMEOUT where no checkpoint covers them within `timeoutMs`
 */
export async function signedStream(
  { log, store, timeoutMs }: Signed,
  stream: string,
  version: number,
  signal: AbortSignal,
): Promise<StreamLeaves | null> {
  const [last] = (await store.readStream(stream, { from: version - 1, limit: 1 })).events;
  if (!last) return { leaves: 0, fault: null };
  const checkpoint = await checkpointOver(log, last, timeoutMs);
  let leaves = 0;
  let first: RecordedEvent | null = null;
  let others = 0;
  for (let from = 0; from < version; from += PAGE) {
    const { events } = await store.readStream(stream, { from, limit: Math.min(PAGE, version - from) });
    for (const event of events) {
      if (signal.aborted) return null;
      const finding = await leafFinding(log, event, checkpoint);
      leaves++;
      if (finding === 'tree is damaged') return { leaves, fault: ofTree(event, checkpoint) };
      if (finding === 'signed') continue;
      first ??= event;
      others++;
    }
  }
  return { leaves, fault: first && ofEvents(first, others, checkpoint) };
}

/** The newest one where that covers it: a log that does not sign any more is looked at all the same. */
async function checkpointOver(log: ProofLog, last: RecordedEvent, timeoutMs: number): Promise<CheckpointRecord> {
  try {
    return await log.covering(last.position, timeoutMs);
  } catch (error) {
    const latest = log.latest();
    if (latest && (await log.proofOf(last.id, latest))) return latest;
    throw error;
  }
}

function ofEvents(
  { stream, revision, position }: RecordedEvent,
  count: number,
  { size }: CheckpointRecord,
): StreamLeaves['fault'] {
  const which = count === 1 ? 'it is' : `${count} events from it on are`;
  return { stream, revision, position, reason: `${which} not what the checkpoint over ${size} events was signed over` };
}

/** Nothing is known of the events then, so that none of their streams is named. */
function ofTree({ position }: RecordedEvent, { size }: CheckpointRecord): StreamLeaves['fault'] {
  const reason = `proof.db does not keep what the checkpoint over ${size} events was signed over: a walk of the whole log makes it again where the events are as they were signed`;
  return { stream: null, revision: null, position, reason };
}
