import { randomUUID } from 'node:crypto';

import {
  DifferentBodyError,
  DuplicateEventError,
  type EventLog,
  IntegrityError,
  type LoggedEvent,
  type StreamHead,
  VersionConflictError,
} from '#lib/event-store';
import {
  failure,
  eventId,
  MaceError,
  sha256Hex,
  systemSeed,
  traceId,
  type DomainEvent,
  type Provenance,
} from '#lib/kernel';

import { snapshotStream } from './domain/snapshot.js';
import {
  clearEvent,
  type ForceHaltClear,
  type ForceHaltReplay,
  haltBecause,
  haltFor,
  haltIn,
  INTEGRITY_FAILURE,
  type SnapshotFault,
  type StandingHalt,
} from './domain/snapshot-halt.js';
import { verifiedFlags } from './snapshot-flags.js';

const MAX_ATTEMPTS = 8;

/**
 * Flags on snapshots that are not what was signed, or that an incident concerns (seed 000 D, seed 002 section 7). They
 * stand behind the snapshot in its own stream and are verified without it: it may not verify, which is why they are there;
 * and a snapshot that is restored from a backup is itself again, whatever its flags were chained to. `snapshotStreamState` tells such a stream from one that was tampered with.
 */
export class SnapshotHalts {
  constructor(
    private readonly log: EventLog,
    private readonly now: () => number = Date.now,
  ) {}

  /** Why a snapshot is halted; null where it is not. @throws IntegrityError where its flags are not what was signed */
  async of(id: string): Promise<StandingHalt | null> {
    const stream = snapshotStream(id);
    // Nearly every snapshot is one event.
    if ((await this.log.version(stream)) <= 1) return null;
    return haltIn(await this.flags(stream));
  }

  /** @throws MaceError INTEGRITY_FAILURE where one of these is halted, MISSING_SNAPSHOT where one is not stored any more */
  async refuse(ids: Iterable<string>): Promise<void> {
    const all = [...ids];
    const versions = await Promise.all(all.map((id) => this.log.version(snapshotStream(id))));
    for (const [i, id] of all.entries()) {
      const version = versions[i]!;
      if (version === 0) throw failure('MISSING_SNAPSHOT', 'not_stored', { snapshot_id: id }, { snapshot_id: id });
      const halt = version === 1 ? null : await this.of(id);
      if (halt) throw halted(halt);
    }
  }

  /**
   * Puts the failure of a snapshot's own bytes and the flag on record, once until it is cleared.
   * @returns null where nothing can be put behind flags that are not what was signed: whoever asks whether it is halted is
   * refused for that alone
   */
  async halt(fault: SnapshotFault): Promise<StandingHalt | null> {
    const stream = snapshotStream(fault.snapshot_id);
    const jobSeed = systemSeed('snapshot-halts', randomUUID());
    const actor = { id: 'system', role: 'system' };
    const provenance = { jobSeed, sequenceIndex: 0, actor, traceId: traceId(jobSeed) };
    const decide = (flags: readonly LoggedEvent[]): readonly DomainEvent[] =>
      haltIn(flags) ? [] : haltFor(fault, eventId(jobSeed, 0, INTEGRITY_FAILURE), this.at());
    try {
      await this.decide(stream, provenance, decide);
      return haltIn(await this.flags(stream));
    } catch (error) {
      if (error instanceof IntegrityError && error.stream === stream) return null;
      throw error;
    }
  }

  /**
   * Puts a flag on a snapshot because of an event elsewhere, once for each such event.
   * @returns false where there is no such snapshot
   */
  async haltBecause(cause: Omit<ForceHaltReplay, 'halted_at'>, provenance: Provenance): Promise<boolean> {
    const stream = snapshotStream(cause.snapshot_id);
    const halt = { ...cause, halted_at: this.at() };
    if ((await this.log.store.streamVersion(stream)) === 0) return false;
    await this.decide(stream, provenance, (flags) => haltBecause(flags, halt));
    return true;
  }

  /**
   * Takes the flag off, once a provenance. Whoever calls it has verified the snapshot.
   * @throws MaceError CONFLICT where another halt stands than the one that was agreed on, or none
   */
  async clear(agreed: Omit<ForceHaltClear, 'cleared_at'>, provenance: Provenance): Promise<void> {
    const clear = { ...agreed, cleared_at: this.at() };
    const event = clearEvent(clear);
    const id = eventId(provenance.jobSeed, provenance.sequenceIndex, event.type);
    await this.decide(snapshotStream(clear.snapshot_id), provenance, (flags) => {
      if (flags.some(({ metadata }) => metadata.event_id === id)) return [];
      const standing = haltIn(flags);
      if (standing?.halt_event_id === clear.halt_event_id) return [event];
      const now = standing
        ? `another halt (${standing.halt_event_id}) was put on it since`
        : 'it is not halted any more';
      throw new MaceError('CONFLICT', `snapshot ${clear.snapshot_id}: ${now}`);
    });
  }

  /** Decides on the flags as they are and appends behind whatever is stored, again after each conflict. */
  private async decide(
    stream: string,
    provenance: Provenance,
    decide: (flags: readonly LoggedEvent[]) => readonly DomainEvent[],
  ): Promise<void> {
    for (let attempt = 1; ; attempt++) {
      const head = await this.end(stream);
      const events = decide(await this.flags(stream, head.version));
      if (events.length === 0) return;
      try {
        await this.log.append(head, events, provenance);
        return;
      } catch (error) {
        if (attempt === MAX_ATTEMPTS || !isConflict(error)) throw error;
      }
    }
  }

  private at(): string {
    return new Date(this.now()).toISOString();
  }

  private async flags(stream: string, version = Infinity): Promise<readonly LoggedEvent[]> {
    const { events } = await this.log.store.readStream(stream, { from: 1 });
    return verifiedFlags(
      this.log,
      events.filter(({ revision }) => revision < version),
    );
  }

  /** The end of a stream as it is stored, verified or not. @throws MaceError MISSING_SNAPSHOT */
  private async end(stream: string): Promise<StreamHead> {
    const { events, version } = await this.log.store.readStream(stream, { backwards: true, limit: 1 });
    if (!events[0])
      throw new MaceError('MISSING_SNAPSHOT', `${stream} is not stored: there is nothing to put a flag on`);
    return { stream, version, lastHash: sha256Hex(events[0].text) };
  }
}

function isConflict(error: unknown): boolean {
  return [VersionConflictError, DifferentBodyError, DuplicateEventError].some((kind) => error instanceof kind);
}

function halted({ snapshot_id, cause_event_id, cause_type }: StandingHalt): MaceError {
  return new MaceError(
    'INTEGRITY_FAILURE',
    `snapshot ${snapshot_id} is halted: an admin must verify it and the council agree before jobs on it run or replay`,
    { snapshot_id, cause_event_id, cause_type },
  );
}
