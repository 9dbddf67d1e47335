import { openStoreFile, ownFile } from '#lib/sqlite';
import type { Checkpoint } from '../port.js';
import { DocumentWriter } from './document-writer.js';
import { answer, type Answer, type WorkerData, type WriteRequest } from './messages.js';
import { READ_STORE_FORMAT } from './tables.js';

/**
 * Documents and checkpoint go back together if the power fails, and what is lost is read from the events again: the
 * last commits need not be durable, but the file must stay sound.
 */
const LASTING = 'PRAGMA synchronous = NORMAL; PRAGMA cache_size = -32000; PRAGMA temp_store = MEMORY';
/** Nobody opens the file again after a crash, so nothing is waited for. */
const DISPOSABLE =
  'PRAGMA synchronous = OFF; PRAGMA cache_size = -64000; PRAGMA wal_autocheckpoint = 8000; PRAGMA temp_store = MEMORY';

type Value = Checkpoint | 'applied' | 'fenced' | null;

ownFile<WorkerData, WriteRequest, Answer<Value>>(({ path, disposable }) => {
  const db = openStoreFile(path, READ_STORE_FORMAT);
  db.exec(disposable ? DISPOSABLE : LASTING);
  const writer = new DocumentWriter(db);
  return {
    answer: (requests) => requests.map((request) => answer(() => carryOut(writer, request))),
    close: () => {
      // Closing would tidy the WAL away only once every cached statement has been collected.
      if (!disposable) db.exec('PRAGMA wal_checkpoint(TRUNCATE)');
      db.close();
    },
  };
});

function carryOut(writer: DocumentWriter, request: WriteRequest): Value {
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
  }
}
