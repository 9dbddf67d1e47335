import { describingFileErrors, openStoreFile, ownFile } from '#lib/sqlite';

import type { ProofAnswer, ProofRequest } from './proof-messages.js';
import { PROOF_LOG } from './proof-schema.js';
import { ProofWriter } from './proof-writer.js';

ownFile<{ readonly path: string }, ProofRequest, ProofAnswer>(({ path }) =>
  describingFileErrors(path, PROOF_LOG.name, () => new ProofWriter(openStoreFile(path, PROOF_LOG), path)),
);
