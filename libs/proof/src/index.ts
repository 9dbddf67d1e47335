export { BundleBuilder, type BundleBuilderOptions, type ReplayWord } from './bundle/bundle-builder.js';
export { RingBundleKeys } from './bundle/bundle-keys.js';
export { GetBundle, GetBundleHandler } from './bundle/get-bundle.js';
export type { ErasedEvidence, ErasedRequest } from './erased-keys.js';
export { erasureFault } from './erasures/erasure-rule.js';
export { treeOf } from './kept-tree.js';
export { leafFinding, signedLeaves } from './leaf-fault.js';
export { type LogKey, LogKeys, rawPublicKey } from './log-keys.js';
export type { Contradiction } from './log/contradictions.js';
export { MerkleLog, type ProofState } from './merkle-log.js';
export { openMerkleLog, type OpenMerkleLogOptions } from './open-merkle-log.js';
export { OriginError } from './origin.js';
export * from './proof-log.js';
export { openSignedReader } from './signed-reader.js';
export { LogGuardError } from './start-guard.js';
export {
  answerText,
  MAX_MARKS,
  parseAnswer,
  parseQuestion,
  parseReport,
  questionText,
  reportText,
} from './witness/erased-keys-note.js';
export { WitnessClient, WitnessListError } from './witness/witness-client.js';
export { restoreEvents, type LogRestored } from './domain/restore.events.js';
export { copyMerkleLog, faultBeside, type LogAtRest, logAtRest } from './restore/copy-of-log.js';
export { foldersAside } from './restore/folders-aside.js';
export { endRestore, recordRestore } from './restore/record-restore.js';
export type { LogStores } from './restore/look-at-copy.js';
export { RestoreError } from './restore/restore-error.js';
export { restoreFolder } from './restore/restore-folder.js';
export { refuseUnfinished, RestoreUnfinishedError } from './restore/restore-plan.js';
