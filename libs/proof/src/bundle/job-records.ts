import { type EventLog, IntegrityError, type RecordedEvent } from '#lib/event-store';
import { snapshotStream } from '#lib/governance';
import { amendmentStream, checkStoredForms, jobStream, lateNoteIds } from '#lib/jobs';
import { failure, GENESIS_HASH, InHandError, type JsonObject, MaceError, type StoredEnvelope } from '#lib/kernel';

import type { ProofLog } from '../proof-log.js';
import { erasuresOf } from './erasure-records.js';

/** What a bundle of a job holds, as stored. */
export interface JobRecords {
  readonly records: readonly RecordedEvent[];
  /** Of SNAPSHOTS_PINNED. */
  readonly pinned: PinnedVersions;
  /** Events beside the job's log: how many are among the records, and how many there are. */
  readonly saidLater: { readonly held: number; readonly stored: number };
  /** Whether some of the records say that a part of the job was erased. */
  readonly holdsErasure: boolean;
  /** Which keys signed these events. */
  readonly kids: ReadonlySet<string>;
}

export interface PinnedVersions {
  readonly engine_version: number;
  readonly system_version: string;
  readonly detector_version: string;
  readonly snapshots: Readonly<Record<string, string>>;
}

interface Read {
  readonly recorded: RecordedEvent;
  readonly envelope: StoredEnvelope;
}

/** How much of what is said beside a log goes into a bundle: its owner may say any amount. */
export interface LaterLimits {
  readonly events: number;
  /** Of their texts, characters. */
  readonly length: number;
}

const LATER_LIMITS: LaterLimits = { events: 1000, length: 4_000_000 };

const PAGE = 1000;
const LATER_PAGE = 50;

/** Finds the events that prove a job: its own, and those that it stands on, wrote, or is spoken of in. */
export class JobRecordReader {
  constructor(
    private readonly log: EventLog,
    private readonly proofs: Pick<ProofLog, 'find'>,
    private readonly later: LaterLimits = LATER_LIMITS,
  ) {}

  /**
   * @throws MaceError NOT_FOUND for an unknown job, CONFLICT for one that is not sealed, MISSING_SNAPSHOT; IntegrityError
   * where what is stored is not what was signed
   */
  async read(jobId: string): Promise<JobRecords> {
    const job = await this.stream(jobStream(jobId));
    if (job.length === 0) throw new MaceError('NOT_FOUND', `no job ${jobId.slice(0, 80)}`);
    if (job.at(-1)!.envelope.type !== 'JOB_SEALED') {
      throw new InHandError(`job ${jobId} still runs; a bundle is made of a sealed job`);
    }
    checkStoredForms(
      jobStream(jobId),
      job.map(({ envelope }) => envelope),
    );
    const pinned = dataOf(job, 'SNAPSHOTS_PINNED') as unknown as PinnedVersions;
    const { log_id } = dataOf(job, 'REFLECTIVE_LOG_WRITTEN');
    const beside = amendmentStream(log_id as string);
    const said = await this.saidLater(beside);
    const stored = await this.log.store.streamVersion(beside);
    const erasures = await this.erasures(job);
    const found = [
      ...job,
      ...(await this.snapshots(Object.values(pinned.snapshots))),
      ...said,
      ...(await this.single(jobId, job)),
      ...erasures,
    ];
    const kids = new Set(found.map(({ envelope }) => envelope.metadata.kid));
    const saidLater = { held: said.length, stored };
    const holdsErasure = erasures.length > 0;
    return { records: found.map(({ recorded }) => recorded), pinned, saidLater, holdsErasure, kids };
  }

  /** The beginning of it, up to the limits. */
  private async saidLater(stream: string): Promise<Read[]> {
    const said: Read[] = [];
    let length = 0;
    for await (const one of this.verified(stream, LATER_PAGE)) {
      length += one.recorded.text.length;
      if (said.length === this.later.events || length > this.later.length) break;
      said.push(one);
    }
    return said;
  }

  /** Each once, and those that one is made up of. */
  private async snapshots(ids: readonly string[]): Promise<Read[]> {
    const wanted = [...new Set(ids)];
    const found: Read[] = [];
    // Grows while it is gone through: a snapshot may name others as its parts.
    for (const id of wanted) {
      const [created] = await this.stream(snapshotStream(id), 1);
      if (!created) throw failure('MISSING_SNAPSHOT', 'not_stored', { snapshot_id: id }, { snapshot_id: id });
      found.push(created);
      const chunks = partsOf(created);
      wanted.push(...chunks.filter((part) => !wanted.includes(part)));
    }
    return found;
  }

  /** What the job wrote to memory, and what came too late for it: events of streams that are not its own. */
  private async single(jobId: string, job: readonly Read[]): Promise<Read[]> {
    const written = job.flatMap(({ envelope: { type, data } }) =>
      type === 'MEMORY_WRITE_RESULT' && typeof data['event_id'] === 'string' ? [data['event_id']] : [],
    );
    const late = lateNoteIds(
      jobId,
      job.map(({ envelope }) => envelope),
    );
    const places = await Promise.all([...new Set([...written, ...late])].map((id) => this.proofs.find(id)));
    return Promise.all(places.flatMap((place) => (place ? [this.at(place.stream, place.revision)] : [])));
  }

  /** That what the job holds encrypted under keys that are gone was erased, and when. */
  private async erasures(job: readonly Read[]): Promise<Read[]> {
    const places = await erasuresOf(
      this.log,
      job.map(({ envelope }) => envelope.data),
    );
    const read: Read[] = [];
    for (const { stream, revisions } of places)
      for await (const one of this.verified(stream, PAGE)) if (revisions.has(one.recorded.revision)) read.push(one);
    return read;
  }

  private async at(stream: string, revision: number): Promise<Read> {
    const [recorded] = (await this.log.store.readStream(stream, { from: revision, limit: 1 })).events;
    return { recorded: recorded!, envelope: JSON.parse(recorded!.text) as StoredEnvelope };
  }

  /** Its first `limit` events, or all. */
  private async stream(stream: string, limit = Infinity): Promise<Read[]> {
    const read: Read[] = [];
    for await (const one of this.verified(stream, Math.min(PAGE, limit))) {
      read.push(one);
      if (read.length >= limit) break;
    }
    return read;
  }

  /** The events of a stream, each verified against the one before it, read as they are wanted. */
  private async *verified(stream: string, page: number): AsyncGenerator<Read> {
    let hash = GENESIS_HASH;
    for (let from = 0; ;) {
      const { events, version } = await this.log.store.readStream(stream, { from, limit: page });
      for (const recorded of events) {
        hash = this.log.codec.verify(recorded, hash);
        yield { recorded, envelope: JSON.parse(recorded.text) as StoredEnvelope };
      }
      from += events.length;
      if (events.length === 0 || from >= version) return;
    }
  }
}

function dataOf(job: readonly Read[], type: string): JsonObject {
  const found = job.find(({ envelope }) => envelope.type === type);
  if (!found) throw new MaceError('INTEGRITY_FAILURE', `the job has no ${type}`);
  return found.envelope.data;
}

/** Ids of the snapshots that one is made up of. @throws IntegrityError where its body has a form that no snapshot has */
function partsOf({ envelope: { data, stream } }: Read): readonly string[] {
  const { chunks = [] } = (data['body'] ?? { chunks: null }) as JsonObject;
  if (Array.isArray(chunks) && chunks.every((id) => typeof id === 'string')) return chunks;
  throw new IntegrityError(stream, 0, '/data/body is of a form that no snapshot has');
}
