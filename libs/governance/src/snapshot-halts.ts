import { randomUUID } from 'node:crypto';

import { type EventLog, type LoggedEvent, type StreamHead, VersionConflictError } from '#lib/event-store';
import { eventId, MaceError, sha256Hex, systemSeed, traceId } from '#lib/kernel';

import { snapshotStream } from './domain/snapshot.js';
import {
  type ForceHaltReplay,
  haltFor,
  haltIn,
  INTEGRITY_FAILURE,
  type SnapshotFault,
} from './domain/snapshot-halt.js';

const MAX_ATTEMPTS = 8;

/**
 * Flags on snapshots that are not what was signed (seed 000 D, seed 002 section 7). They stand behind the snapshot in its
 * own stream and are each verified by themselves: what they follow does not verify, which is why they are there; and a
 * snapshot that is restored from a backup is itself again, whatever its flags were chained to.
 */
export class SnapshotHalts {
  constructor(private readonly log: EventLog) {}

  /** Why a snapshot is halted; null where it is not. @throws IntegrityError where a flag itself is not what was signed */
  async of(id: string): Promise<ForceHaltReplay | null> {
    const stream = snapshotStream(id);
    // Nearly every snapshot is one event: the number of them is in memory.
    if ((await this.log.store.streamVersion(stream)) <= 1) return null;
    return haltIn(await this.flags(stream));
  }

  /** @throws MaceError INTEGRITY_FAILURE where one of these is halted */
  async refuse(ids: Iterable<string>): Promise<void> {
    for (const id of ids) {
      const halt = await this.of(id);
      if (halt) throw halted(halt);
    }
  }

  /** Puts the failure and the flag on record, once until it is cleared. */
  async halt(fault: SnapshotFault): Promise<ForceHaltReplay> {
    const { snapshot_id } = fault;
    for (let attempt = 1; ; attempt++) {
      const known = await this.of(snapshot_id);
      if (known) return known;
      const jobSeed = systemSeed('snapshot-halts', randomUUID());
      const events = haltFor(fault, eventId(jobSeed, 0, INTEGRITY_FAILURE));
      const actor = { id: 'system', role: 'system' };
      const provenance = { jobSeed, sequenceIndex: 0, actor, traceId: traceId(jobSeed) };
      try {
        await this.log.append(await this.end(snapshotStream(snapshot_id)), events, provenance);
        return haltIn(events)!;
      } catch (error) {
        if (attempt === MAX_ATTEMPTS || !(error instanceof VersionConflictError)) throw error;
      }
    }
  }

  private async flags(stream: string): Promise<readonly LoggedEvent[]> {
    const { events } = await this.log.store.readStream(stream, { from: 1 });
    return events.map((recorded) => {
      const { prev_hash } = this.log.codec.decode(recorded).metadata;
      return this.log.codec.open(recorded, prev_hash).event;
    });
  }

  /** The end of a stream as it is stored, verified or not. */
  private async end(stream: string): Promise<StreamHead> {
    const { events, version } = await this.log.store.readStream(stream, { backwards: true, limit: 1 });
    return { stream, version, lastHash: sha256Hex(events[0]!.text) };
  }
}

function halted({ snapshot_id, cause_event_id }: ForceHaltReplay): MaceError {
  return new MaceError(
    'INTEGRITY_FAILURE',
    `snapshot ${snapshot_id} is halted: an admin must verify it and the council agree before jobs on it run or replay`,
    { snapshot_id, cause_event_id },
  );
}
