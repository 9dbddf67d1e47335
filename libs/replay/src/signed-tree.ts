import type { EventLog, RecordedEvent } from '#lib/event-store';
import type { StoredJob } from '#lib/jobs';
import { sha256Hex } from '#lib/kernel';

import type { StepList } from './step-list.js';

/** The Merkle tree over all events, as far as a replay asks it (spec/replay.md, "Integrity"). */
export interface SignedTree {
  /**
   * Whether an event as it is stored is the leaf over which a checkpoint was signed. `uncovered`: none covers it yet;
   * `damaged`: what is kept of the tree is itself not what was signed.
   */
  find(event: RecordedEvent): Promise<'signed' | 'other' | 'uncovered' | 'damaged'>;
  /** Told which events will be looked up, where many will be; what they take of the tree may then be read together. */
  readAhead?(events: readonly RecordedEvent[]): void;
}

/**
 * Tells whether a job's record is the one that a checkpoint was signed over: its last event names the one before it by its
 * hash, and so each before that. Whoever holds the key of events can sign a record again in which everything follows from
 * everything else, but who asked in which role, or what came with the request, is not computed from anything.
 */
export async function checkTree(tree: SignedTree, log: EventLog, job: StoredJob, list: StepList): Promise<void> {
  const { stream, version, lastHash } = job.history.head;
  const [last] = (await log.store.readStream(stream, { from: version - 1, limit: 1 })).events;
  const found = last && sha256Hex(last.text) === lastHash ? await tree.find(last) : 'other';
  if (found === 'signed') list.ok('merkle log', version, SIGNED);
  else if (found === 'uncovered') list.unchecked('merkle log', 'no checkpoint covers the job: nothing was compared');
  else list.failed('merkle log', found === 'other' ? OTHER_RECORD : DAMAGED);
}

const SIGNED = 'the record is the one that a checkpoint was signed over, its last event and all before';
export const OTHER_RECORD = 'the record is another than the one that a checkpoint was signed over';
const DAMAGED =
  'proof.db does not keep what was signed of the tree: a walk of the whole log makes it again where the events are as they were signed';
