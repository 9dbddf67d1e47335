import { describingFileErrors, openStoreFile, ownFile } from '#lib/sqlite';

import { SUBJECT_KEYS } from './subject-key-schema.js';
import { type SubjectKeyAnswer, type SubjectKeyRequest, SubjectKeyWriter } from './subject-key-writer.js';

ownFile<string, SubjectKeyRequest, SubjectKeyAnswer>((path) =>
  describingFileErrors(path, SUBJECT_KEYS.name, () => new SubjectKeyWriter(openStoreFile(path, SUBJECT_KEYS))),
);
