import { quote, seedEpochMs, type Provenance } from '#lib/kernel';

import type { SealOrder } from './seal-order.js';

/** What differs from one event of an append to the next. */
export interface EventFacts {
  readonly id: string;
  readonly type: string;
  /** sequence_index. */
  readonly index: number;
  readonly cause: string | undefined;
  readonly version: number;
  readonly digest: string | undefined;
}

/**
 * Writes the envelopes of one append; what its events share is written once. Members come in canonical order, and all
 * values but actor and seed are of a form that needs no escaping.
 */
export class EnvelopeWriter {
  private readonly actor: string;
  private readonly job: string;
  private readonly recorded: string;
  private readonly end: string;
  private readonly epoch: number;
  private second = -1;
  /** Seeded time up to the milliseconds: `2025-03-01T10:20:30.` */
  private untilMilliseconds = '';

  constructor(
    private readonly order: SealOrder,
    provenance: Provenance,
    stream: string,
    kid: string,
    /** Milliseconds since the Unix epoch. */
    recordedAt: number,
  ) {
    const { actor, jobId, jobSeed, traceId } = provenance;
    this.actor = `"$correlationId":"${traceId}","actor":{"id":${quote(actor.id)},"role":${quote(actor.role)}},"event_id":"`;
    this.job = `",${jobId === undefined ? '' : `"job_id":"${jobId}",`}"job_seed":${quote(jobSeed)},"kid":"${kid}","prev_hash":"`;
    this.end = `","trace_id":"${traceId}"},"stream":"${stream}","type":"`;
    this.recorded = `","recorded_at":"${new Date(recordedAt).toISOString()}",`;
    this.epoch = seedEpochMs(jobSeed);
  }

  /** What follows on the data of an event (spec/kernel.md, "Event envelope"), and its end. */
  writeAfterData({ id, type, index, cause, version, digest }: EventFacts): void {
    const { order } = this;
    const because = cause === undefined ? '' : `"$causationId":"${cause}",`;
    const requested = digest === undefined ? '' : `"request_digest":"${digest}",`;
    order.write(`,"metadata":{${because}${this.actor}${id}${this.job}`);
    order.writePrevHash();
    order.write(`${this.recorded}${requested}"schema_version":${version},"sequence_index":${index},`);
    order.writeSignature();
    order.write(`"timestamp_seeded":"${this.timestamp(index)}${this.end}${type}"}`);
    order.end(id);
  }

  /** `timestampSeeded` of the kernel; the seed's moment is a whole second, so most events of an append share it. */
  private timestamp(index: number): string {
    const second = Math.floor(index / 1000);
    if (second !== this.second) {
      this.second = second;
      this.untilMilliseconds = new Date(this.epoch + second * 1000).toISOString().slice(0, -4);
    }
    return `${this.untilMilliseconds}${String(index % 1000).padStart(3, '0')}Z`;
  }
}
