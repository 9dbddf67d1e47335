import { FileWorker, openStoreFileForReading } from '#lib/sqlite';

import {
  type FollowedEvent,
  type KeptPart,
  type LeafRow,
  packEvents,
  type ProofAnswer,
  type ProofRequest,
  type StoredCheckpoint,
} from './proof-messages.js';
import { ProofReader } from './proof-reader.js';
import { PROOF_LOG } from './proof-schema.js';

/** Another process writes the Merkle log; this one leaves it alone. */
export class ProofLogFencedError extends Error {
  constructor(reason: string) {
    super(`the Merkle log is written by somebody else: ${reason}`);
    this.name = 'ProofLogFencedError';
  }
}

/** Bytes that are kept between two batches of leaves; some thousand events. */
const LARGEST_ROOM = 2 * 1024 * 1024;

/** The file of a Merkle log: a thread that writes, and a connection of this one that reads. */
export class ProofStore {
  private closed = false;
  /** Memory in which events went to the writer and that has come back. */
  private room: ArrayBuffer | undefined;

  private constructor(
    readonly path: string,
    private readonly writer: FileWorker<ProofRequest, ProofAnswer>,
    readonly reader: ProofReader,
  ) {}

  /** Makes the file where it is missing, and fences off whoever wrote it before. @throws DataFileError */
  static async open(path: string): Promise<ProofStore> {
    const writer = await FileWorker.start<ProofRequest, ProofAnswer>({
      entry: new URL('./proof.worker.cjs', import.meta.url),
      name: 'the writer of the Merkle log',
      data: { path },
      maxBatch: 1,
      maxWeight: 1,
      handOver: (requests) => (requests as readonly ProofRequest[]).flatMap(buffersOf),
    });
    try {
      return new ProofStore(path, writer, new ProofReader(openStoreFileForReading(path, PROOF_LOG)));
    } catch (error) {
      await writer.stop();
      throw error;
    }
  }

  /**
   * Adds leaves after the `from` that are there; answers size and root with them.
   * @throws ProofLogFencedError, and what SQLite throws; nothing was added then
   */
  async append(
    from: number,
    events: readonly FollowedEvent[],
  ): Promise<{ readonly size: number; readonly root: string }> {
    const packed = packEvents(events, this.room);
    this.room = undefined;
    const answer = await this.ask({ kind: 'leaves', from, events: packed });
    if (answer.kind !== 'leaves') throw new Error(`leaves were answered with ${answer.kind}`);
    this.reader.learn(from, events, answer.indexed);
    if (answer.room.byteLength <= LARGEST_ROOM) this.room = answer.room;
    return answer;
  }

  /** Forgets leaves beyond the first `size`: no checkpoint may cover one of them. */
  async cut(size: number): Promise<void> {
    await this.ask({ kind: 'cut', size });
    this.reader.cut(size);
  }

  async keep(checkpoint: StoredCheckpoint): Promise<void> {
    await this.ask({ kind: 'checkpoint', checkpoint });
  }

  /** Replaces the note of a checkpoint by one with more signatures. */
  async cosign(number: number, note: string): Promise<void> {
    await this.ask({ kind: 'note', number, note });
  }

  /** Replaces what is kept of leaves. */
  async mend(rows: readonly LeafRow[]): Promise<void> {
    await this.ask({ kind: 'rows', rows });
    this.reader.forget();
  }

  /** Makes the index by event again from the leaves. */
  async reindex(): Promise<void> {
    await this.ask({ kind: 'index' });
  }

  /**
   * The right edge of the tree of the `to` leaves that stand in the file, from that of the `from` before them (from left
   * to right, hex); null where what is kept of one of them does not follow from their hashes.
   * @throws DataFileError
   */
  async keptEdge(from: number, to: number, edge: readonly string[], of: KeptPart): Promise<readonly string[] | null> {
    const answer = await this.ask({ kind: 'kept', from, to, edge, of });
    if (answer.kind !== 'kept') throw new Error(`a look at leaves was answered with ${answer.kind}`);
    return answer.edge;
  }

  /** Where the file says that the events of leaves `from` to `to` stand (RangePlaces). @throws DataFileError */
  async keptPlaces(from: number, to: number): Promise<string> {
    const answer = await this.ask({ kind: 'places', from, to });
    if (answer.kind !== 'places') throw new Error(`a look at places was answered with ${answer.kind}`);
    return answer.digest;
  }

  /** Again is no error. */
  async close(): Promise<void> {
    if (!this.closed) {
      this.closed = true;
      // First, so that the writer is the last and takes the WAL with it.
      this.reader.close();
    }
    await this.writer.stop();
  }

  private async ask(request: ProofRequest): Promise<ProofAnswer> {
    const answer = await this.writer.request(request);
    if (answer.kind === 'fenced') throw new ProofLogFencedError(answer.reason);
    return answer;
  }
}

/** What changes hands: the texts of events are copied once, where they are packed. */
function buffersOf(request: ProofRequest): ArrayBuffer[] {
  return request.kind === 'leaves' ? [request.events.bytes.buffer] : [];
}
