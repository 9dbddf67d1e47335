import { type DatabaseSync, openStoreFile, ownFile } from '#lib/sqlite';
import type { Checkpoint } from '../port.js';
import { DocumentWriter } from './document-writer.js';
import { answer, type FileRequest, type WorkerData, type WriteAnswer, type WriteRequest } from './messages.js';
import { READ_STORE_FORMAT } from './tables.js';

/**
 * Documents and checkpoint go back together if the power fails, and what is lost is read from the events again: the
 * last commits need not be durable, but the file must stay sound.
 */
const LASTING = 'PRAGMA synchronous = NORMAL; PRAGMA cache_size = -32000; PRAGMA temp_store = MEMORY';
/** Nobody opens the file again after a crash of the machine, so nothing is waited for. */
const DISPOSABLE =
  'PRAGMA synchronous = OFF; PRAGMA cache_size = -64000; PRAGMA wal_autocheckpoint = 8000; PRAGMA temp_store = MEMORY';

interface OpenFile {
  readonly db: DatabaseSync;
  readonly writer: DocumentWriter;
}

ownFile<WorkerData, FileRequest, WriteAnswer>(({ disposable }) => {
  const files = new Map<string, OpenFile>();
  const fileAt = (path: string): OpenFile => {
    let file = files.get(path);
    if (!file) {
      const db = openStoreFile(path, READ_STORE_FORMAT);
      db.exec(disposable ? DISPOSABLE : LASTING);
      files.set(path, (file = { db, writer: new DocumentWriter(db) }));
    }
    return file;
  };
  const release = (path: string): null => {
    files.get(path)?.db.close();
    files.delete(path);
    return null;
  };
  return {
    answer: (requests) =>
      requests.map(({ path, request }) =>
        answer(() => (request === 'release' ? release(path) : carryOut(fileAt(path).writer, request))),
      ),
    close: () => {
      for (const { db } of files.values()) {
        // Closing would tidy the WAL away only once every cached statement has been collected.
        if (!disposable) db.exec('PRAGMA wal_checkpoint(TRUNCATE)');
        db.close();
      }
    },
  };
});

function carryOut(writer: DocumentWriter, request: WriteRequest): Checkpoint | 'applied' | 'fenced' | null {
  switch (request.kind) {
    case 'prepare':
      writer.prepare(request.generation, request.definitions, request.indexed);
      return null;
    case 'claim':
      return writer.claim(request.generation);
    case 'apply':
      return writer.apply(request.generation, request.batch);
    case 'drop':
      writer.drop(request.generation);
      return null;
    case 'place':
      writer.place(request.generation, request.place);
      return null;
  }
}
