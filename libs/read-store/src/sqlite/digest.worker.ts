import { openStoreFileForReading, ownFile } from '#lib/sqlite';
import type { Generation, GenerationDigest } from '../port.js';
import { DocumentReader } from './document-reader.js';
import { answer, type Answer } from './messages.js';
import { READ_STORE_FORMAT } from './tables.js';

/** A digest reads every document: seconds of work that neither queries nor writes should wait for. */
ownFile<{ readonly path: string }, Generation, Answer<GenerationDigest>>(({ path }) => {
  const reader = new DocumentReader(openStoreFileForReading(path, READ_STORE_FORMAT));
  return {
    answer: (generations) => generations.map((generation) => answer(() => reader.digest(generation))),
    close: () => reader.close(),
  };
});
