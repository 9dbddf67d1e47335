import { randomUUID } from 'node:crypto';

import { type EventLog, type LoggedEvent, type StreamHead, VersionConflictError } from '#lib/event-store';
import { type DomainEvent, GENESIS_HASH, sha256Hex, systemSeed, traceId } from '#lib/kernel';

import { type Detector, type Fault, faultKey } from './domain/fault.js';
import {
  CHECK_SUMMARY,
  checkSummary,
  type CheckSummary,
  INTEGRITY_FAILURE,
  INTEGRITY_STREAM,
  integrityFailure,
} from './domain/integrity.events.js';

/** A summary with the event that it stands in. */
export interface RecordedSummary extends CheckSummary {
  readonly event_id: string;
}

interface KnownFault {
  readonly eventId: string;
  readonly detector: Detector;
}

const MAX_ATTEMPTS = 16;
const PAGE = 1000;
/** Summaries that can be asked for; the log has the others. */
const KEPT = 1000;
const SYSTEM = { id: 'system', role: 'system' };

/**
 * The stream `system-integrity`. Each of its events is verified by itself and what does not verify is passed over: where
 * this stream is what was tampered with, that must be possible to record.
 */
export class IntegrityRecord {
  private next = 0;
  private lastHash = GENESIS_HASH;
  private readonly known = new Map<string, KnownFault>();
  private readonly kept = new Map<string, RecordedSummary>();
  private reading: Promise<unknown> = Promise.resolve();

  constructor(private readonly log: EventLog) {}

  /**
   * Puts a fault on record, once until an admin's walk has found it mended.
   * @returns event_id of its INTEGRITY_FAILURE; whether it was recorded just now
   */
  failure(fault: Fault): Promise<{ readonly eventId: string; readonly isNew: boolean }> {
    return this.inTurn(async () => {
      const known = this.known.get(faultKey(fault));
      if (known) return { eventId: known.eventId, isNew: false };
      await this.append(integrityFailure(fault), () => this.known.has(faultKey(fault)));
      return { eventId: this.known.get(faultKey(fault))!.eventId, isNew: true };
    });
  }

  /** Puts the end of a walk on record, once a walk. */
  summary(summary: CheckSummary): Promise<RecordedSummary> {
    return this.inTurn(async () => {
      const isThere = (): boolean => this.kept.has(summary.verification_id);
      if (!isThere()) await this.append(checkSummary(summary), isThere);
      return this.kept.get(summary.verification_id)!;
    });
  }

  /** Walks that have ended, newest first. */
  summaries(): Promise<readonly RecordedSummary[]> {
    return this.inTurn(() => Promise.resolve([...this.kept.values()].reverse()));
  }

  /** One at a time, each on what stands in the stream by now. */
  private inTurn<T>(work: () => Promise<T>): Promise<T> {
    const turn = this.reading.then(() => this.read()).then(work);
    this.reading = turn.catch(() => undefined);
    return turn;
  }

  private async append(event: DomainEvent, isThere: () => boolean): Promise<void> {
    const jobSeed = systemSeed('integrity', randomUUID());
    for (let attempt = 1; !isThere(); attempt++) {
      const provenance = { jobSeed, sequenceIndex: 0, actor: SYSTEM, traceId: traceId(jobSeed) };
      try {
        await this.log.append(this.head(), [event], provenance);
      } catch (error) {
        if (attempt === MAX_ATTEMPTS || !(error instanceof VersionConflictError)) throw error;
      }
      await this.read();
    }
  }

  /** The end of the stream as it is stored, verified or not. */
  private head(): StreamHead {
    return { stream: INTEGRITY_STREAM, version: this.next, lastHash: this.lastHash };
  }

  private async read(): Promise<void> {
    for (;;) {
      const { events } = await this.log.store.readStream(INTEGRITY_STREAM, { from: this.next, limit: PAGE });
      for (const recorded of events) {
        const event = this.log.codec.signedAlone(recorded);
        if (event) this.take(event);
        this.next = recorded.revision + 1;
        this.lastHash = sha256Hex(recorded.text);
      }
      if (events.length < PAGE) return;
    }
  }

  private take({ type, data, metadata }: LoggedEvent): void {
    if (type === CHECK_SUMMARY) {
      const summary = data as unknown as CheckSummary;
      this.kept.set(summary.verification_id, { ...summary, event_id: metadata.event_id });
      for (const id of this.kept.keys()) {
        if (this.kept.size <= KEPT) break;
        this.kept.delete(id);
      }
      if (summary.releases) this.end(summary);
    }
    if (type !== INTEGRITY_FAILURE || data['detector'] === undefined) return;
    const { detector, reason, stream = null, revision = null, position = null } = data as unknown as Partial<Fault>;
    const key = faultKey({ detector, reason, stream, revision, position } as Fault);
    if (!this.known.has(key)) this.known.set(key, { eventId: metadata.event_id, detector: detector! });
  }

  /**
   * What an admin's walk has found to be mended is over: found again it is another fault, and is recorded again. What a
   * witness holds no walk has looked at.
   */
  private end({ sound }: CheckSummary): void {
    for (const [key, { detector }] of this.known) {
      if (detector === 'proof' || (sound && detector !== 'witness')) this.known.delete(key);
    }
  }
}
