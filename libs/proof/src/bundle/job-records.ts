import type { EventLog, RecordedEvent } from '#lib/event-store';
import { snapshotStream } from '#lib/governance';
import { amendmentStream, checkStoredForms, jobStream, lateNoteIds } from '#lib/jobs';
import { GENESIS_HASH, type JsonObject, MaceError, type StoredEnvelope } from '#lib/kernel';

import type { ProofLog } from '../proof-log.js';

/** What a bundle of a job holds, as stored. */
export interface JobRecords {
  readonly records: readonly RecordedEvent[];
  /** Of SNAPSHOTS_PINNED. */
  readonly pinned: PinnedVersions;
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

const PAGE = 1000;

/** Finds the events that prove a job: its own, and those that it stands on, wrote, or is spoken of in. */
export class JobRecordReader {
  constructor(
    private readonly log: EventLog,
    private readonly proofs: Pick<ProofLog, 'find'>,
  ) {}

  /**
   * @throws MaceError NOT_FOUND for an unknown job, CONFLICT for one that is not sealed, MISSING_SNAPSHOT; IntegrityError
   * where what is stored is not what was signed
   */
  async read(jobId: string): Promise<JobRecords> {
    const job = await this.stream(jobStream(jobId));
    if (job.length === 0) throw new MaceError('NOT_FOUND', `no job ${jobId.slice(0, 80)}`);
    if (job.at(-1)!.envelope.type !== 'JOB_SEALED') {
      throw new MaceError('CONFLICT', `job ${jobId} still runs; a bundle is made of a sealed job`);
    }
    checkStoredForms(
      jobStream(jobId),
      job.map(({ envelope }) => envelope),
    );
    const pinned = dataOf(job, 'SNAPSHOTS_PINNED') as unknown as PinnedVersions;
    const { log_id } = dataOf(job, 'REFLECTIVE_LOG_WRITTEN');
    const found = [
      ...job,
      ...(await this.snapshots(Object.values(pinned.snapshots))),
      ...(await this.stream(amendmentStream(log_id as string))),
      ...(await this.single(jobId, job)),
    ];
    const kids = new Set(found.map(({ envelope }) => envelope.metadata.kid));
    return { records: found.map(({ recorded }) => recorded), pinned, kids };
  }

  /** Each once, and those that one is made up of. */
  private async snapshots(ids: readonly string[]): Promise<Read[]> {
    const wanted = [...new Set(ids)];
    const found: Read[] = [];
    // Grows while it is gone through: a snapshot may name others as its parts.
    for (const id of wanted) {
      const [created] = await this.stream(snapshotStream(id), 1);
      if (!created) throw new MaceError('MISSING_SNAPSHOT', `snapshot ${id} is not stored`, { snapshot_id: id });
      found.push(created);
      const { chunks = [] } = created.envelope.data['body'] as { readonly chunks?: readonly string[] };
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

  private async at(stream: string, revision: number): Promise<Read> {
    const [recorded] = (await this.log.store.readStream(stream, { from: revision, limit: 1 })).events;
    return { recorded: recorded!, envelope: JSON.parse(recorded!.text) as StoredEnvelope };
  }

  /** Its first `limit` events, or all, each verified against the one before it. */
  private async stream(stream: string, limit = Infinity): Promise<Read[]> {
    const read: Read[] = [];
    let hash = GENESIS_HASH;
    for (;;) {
      const page = Math.min(PAGE, limit - read.length);
      const { events, version } = await this.log.store.readStream(stream, { from: read.length, limit: page });
      for (const recorded of events) {
        hash = this.log.codec.verify(recorded, hash);
        read.push({ recorded, envelope: JSON.parse(recorded.text) as StoredEnvelope });
      }
      if (events.length === 0 || read.length >= Math.min(version, limit)) return read;
    }
  }
}

function dataOf(job: readonly Read[], type: string): JsonObject {
  const found = job.find(({ envelope }) => envelope.type === type);
  if (!found) throw new MaceError('INTEGRITY_FAILURE', `the job has no ${type}`);
  return found.envelope.data;
}
