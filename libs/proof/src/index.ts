export { type Anchor, LogGuardError } from './start-guard.js';
export { type LogKey, LogKeys } from './log-keys.js';
export { type Cosigner, MerkleLog } from './merkle-log.js';
export { openMerkleLog, type OpenMerkleLogOptions, type Witness } from './open-merkle-log.js';
export { isOrigin, OriginError } from './origin.js';
export * from './proof-log.js';
