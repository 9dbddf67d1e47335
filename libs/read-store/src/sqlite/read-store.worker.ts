import { openStoreFile, ownFile } from '#lib/sqlite';
import type { Checkpoint } from '../port.js';
import { DocumentWriter } from './document-writer.js';
import { answer, type Answer, type WorkerData, type WriteRequest } from './messages.js';
import { READ_STORE_FORMAT } from './tables.js';

type Value = Checkpoint | 'applied' | 'fenced' | null;

ownFile<WorkerData, WriteRequest, Answer<Value>>(({ path, synchronous }) => {
  const db = openStoreFile(path, READ_STORE_FORMAT);
  // Documents and checkpoint go back together if the power fails: what is lost is read from the events again. NORMAL
  // keeps the file sound; OFF does not, and is for files that a crash makes worthless anyway.
  db.exec(
    `PRAGMA synchronous = ${synchronous === 'OFF' ? 'OFF' : 'NORMAL'}; PRAGMA cache_size = -32000; PRAGMA temp_store = MEMORY`,
  );
  const writer = new DocumentWriter(db);
  return {
    answer: (requests) => requests.map((request) => answer(() => carryOut(writer, request))),
    close: () => {
      // Closing would tidy the WAL away only once every cached statement has been collected.
      db.exec('PRAGMA wal_checkpoint(TRUNCATE)');
      db.close();
    },
  };
});

function carryOut(writer: DocumentWriter, request: WriteRequest): Value {
  switch (request.kind) {
    case 'prepare':
      writer.prepare(request.generation, request.definitions);
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
