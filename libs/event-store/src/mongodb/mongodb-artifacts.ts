import { randomUUID } from 'node:crypto';

import type { Binary, Collection } from 'mongodb';

import { isDuplicateKey, MongoConnection, type MongoConnectionOptions } from '#lib/mongodb';

import { artifactName, type ArtifactStore, DamagedArtifactError } from '../artifacts.js';
import { StoreUnavailableError } from '../port.js';
import { describing } from './failures.js';

interface Head {
  /** The SHA-256 of the whole body, lower-case hex. */
  readonly _id: string;
  readonly bytes: number;
  /** The body itself, where it is small. */
  readonly body?: Binary;
  /** Whose pieces the body is made of, where it is large. */
  readonly upload?: string;
  readonly pieces?: number;
}
interface Piece {
  /** upload:number */
  readonly _id: string;
  readonly body: Binary;
}
interface Upload {
  readonly _id: string;
  readonly artifact: string;
  readonly pieces: number;
  readonly begun: Date;
}

const NAME = /^[0-9a-f]{64}$/;
/** What fits a document is one; MongoDB's limit is 16 MiB. */
const INLINE_BYTES = 1024 * 1024;
const PIECE_BYTES = 4 * 1024 * 1024;
/** No upload takes this long; one that is older was broken off. */
const ABANDONED_MS = 24 * 3600 * 1000;
const ATTEMPTS = 10;

/**
 * Artifacts in `artifacts`: the body in the document where it is small, else in pieces under an upload of its own, named
 * by the document that is written last. So under a name there is all of it or nothing, of any number who put the same
 * bytes at once one wins, and what others delete is never a piece that somebody still points to. GridFS would give each
 * upload a file of its own, also to the same bytes. Pieces of an upload that was broken off go at a later start.
 * @throws MongoUrlError, MongoAwayError
 */
export async function openMongoArtifacts(options: MongoConnectionOptions): Promise<ArtifactStore> {
  const connection = await MongoConnection.open(options);
  try {
    const store = new MongoArtifacts(connection);
    await store.removeAbandoned(new Date(Date.now() - ABANDONED_MS));
    return store;
  } catch (error) {
    await connection.close();
    throw error;
  }
}

class MongoArtifacts implements ArtifactStore {
  private readonly heads: Collection<Head>;
  private readonly pieces: Collection<Piece>;
  private readonly uploads: Collection<Upload>;
  private readonly underWay = new Set<Promise<unknown>>();
  private closing: Promise<void> | undefined;

  constructor(private readonly connection: MongoConnection) {
    this.heads = connection.db.collection('artifacts');
    this.pieces = connection.db.collection('artifact_pieces');
    this.uploads = connection.db.collection('artifact_uploads');
  }

  put(given: Uint8Array): Promise<string> {
    // A copy: the caller may go on with its own while this waits for the server.
    const body = Buffer.from(given);
    const name = artifactName(body);
    return this.ask(async () => {
      for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
        const head = await this.heads.findOne({ _id: name });
        const stored = head && (await this.bodyOf(head));
        if (stored && artifactName(stored) === name) return name;
        // What was damaged is written again by the next who puts its bytes.
        if (await this.write(name, body, head)) return name;
      }
      throw new StoreUnavailableError(`artifact ${name} was put and deleted by others at once, again and again`);
    });
  }

  has(name: string): Promise<boolean> {
    return this.ask(async () => (await this.heads.findOne({ _id: name }, { projection: { _id: 1 } })) !== null);
  }

  get(name: string): Promise<Uint8Array | null> {
    return this.ask(async () => {
      if (!NAME.test(name)) return null;
      const head = await this.heads.findOne({ _id: name });
      if (!head) return null;
      const body = await this.bodyOf(head);
      if (body && artifactName(body) === name) return body;
      const now = await this.heads.findOne({ _id: name });
      // Deleted, or put anew, between its head and its pieces.
      if (now?.upload !== head.upload) return now ? this.wholeOf(now) : null;
      throw new DamagedArtifactError(name);
    });
  }

  names(after: string | null, limit: number): Promise<readonly string[]> {
    return this.ask(async () => {
      const found = this.heads.find({ _id: { $gt: after ?? '' } }, { projection: { _id: 1 }, limit });
      return (await found.sort({ _id: 1 }).toArray()).map(({ _id }) => _id);
    });
  }

  delete(name: string): Promise<boolean> {
    return this.ask(async () => {
      if (!NAME.test(name)) return false;
      const head = await this.heads.findOne({ _id: name });
      if (!head) return false;
      if (head.upload !== undefined) await this.remember(head.upload, name, head.pieces ?? 0);
      const same = head.upload === undefined ? {} : { upload: head.upload };
      const { deletedCount } = await this.heads.deleteOne({ _id: name, ...same });
      if (deletedCount === 1) await this.removePieces(head);
      return deletedCount === 1;
    });
  }

  close(): Promise<void> {
    this.closing ??= (async () => {
      await Promise.allSettled(this.underWay);
      await this.connection.close();
    })();
    return this.closing;
  }

  /** Pieces that no artifact names: their upload ended before its last step, or its deletion did. */
  async removeAbandoned(before: Date): Promise<void> {
    await this.ask(async () => {
      for (const { _id: upload, artifact, pieces } of await this.uploads.find({ begun: { $lt: before } }).toArray()) {
        const head = await this.heads.findOne({ _id: artifact });
        if (head?.upload === upload) await this.uploads.deleteOne({ _id: upload });
        else await this.removePieces({ upload, pieces });
      }
    });
  }

  /** False where another has meanwhile put or deleted it. */
  private async write(name: string, body: Buffer, damaged: Head | null): Promise<boolean> {
    const { Binary: Bytes } = await import('mongodb');
    const head: Omit<Head, '_id'> =
      body.length <= INLINE_BYTES
        ? { bytes: body.length, body: new Bytes(body) }
        : { bytes: body.length, ...(await this.upload(name, body)) };
    if (await this.point(name, head, damaged)) {
      if (damaged) await this.removePieces(damaged);
      if (head.upload !== undefined) await this.uploads.deleteOne({ _id: head.upload });
      return true;
    }
    await this.removePieces(head);
    return false;
  }

  private async upload(name: string, body: Buffer): Promise<{ readonly upload: string; readonly pieces: number }> {
    const { Binary: Bytes } = await import('mongodb');
    const [upload, pieces] = [randomUUID(), Math.ceil(body.length / PIECE_BYTES)];
    await this.remember(upload, name, pieces);
    for (let i = 0; i < pieces; i++) {
      const piece = body.subarray(i * PIECE_BYTES, (i + 1) * PIECE_BYTES);
      await this.pieces.insertOne({ _id: `${upload}:${i}`, body: new Bytes(piece) });
    }
    return { upload, pieces };
  }

  /** Before pieces come or go: so that those of a crash are found. */
  private async remember(upload: string, artifact: string, pieces: number): Promise<void> {
    await this.uploads.replaceOne({ _id: upload }, { artifact, pieces, begun: new Date() }, { upsert: true });
  }

  private async point(name: string, head: Omit<Head, '_id'>, damaged: Head | null): Promise<boolean> {
    if (damaged) {
      const same = damaged.upload === undefined ? {} : { upload: damaged.upload };
      return (await this.heads.replaceOne({ _id: name, ...same }, head)).matchedCount === 1;
    }
    try {
      await this.heads.insertOne({ _id: name, ...head });
      return true;
    } catch (error) {
      if (!isDuplicateKey(error)) throw error;
      return false;
    }
  }

  private async removePieces({ upload, pieces = 0 }: Pick<Head, 'upload' | 'pieces'>): Promise<void> {
    if (upload === undefined) return;
    const ids = Array.from({ length: pieces }, (_, i) => `${upload}:${i}`);
    await this.pieces.deleteMany({ _id: { $in: ids } });
    await this.uploads.deleteOne({ _id: upload });
  }

  private async wholeOf(head: Head): Promise<Uint8Array> {
    const body = await this.bodyOf(head);
    if (!body || artifactName(body) !== head._id) throw new DamagedArtifactError(head._id);
    return body;
  }

  /** Null where a piece is missing. */
  private async bodyOf({ body, upload, pieces = 0 }: Head): Promise<Uint8Array | null> {
    if (upload === undefined) return body ? Uint8Array.from(body.buffer.subarray(0, body.position)) : null;
    const parts: Uint8Array[] = [];
    for (let i = 0; i < pieces; i++) {
      const piece = await this.pieces.findOne({ _id: `${upload}:${i}` });
      if (!piece) return null;
      parts.push(piece.body.buffer.subarray(0, piece.body.position));
    }
    return Buffer.concat(parts);
  }

  private ask<T>(work: () => Promise<T>): Promise<T> {
    if (this.closing) return Promise.reject(new StoreUnavailableError('the artifact store is closed'));
    const result = describing(work);
    this.underWay.add(result);
    const forget = (): void => void this.underWay.delete(result);
    result.then(forget, forget);
    return result;
  }
}
