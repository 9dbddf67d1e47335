export { ErasedKeys } from './erased-keys.js';
export { type LogKey, LogKeys, rawPublicKey } from './log-keys.js';
export { type Cosigner, MerkleLog, type ProofState, type WitnessState } from './merkle-log.js';
export { openMerkleLog, type OpenMerkleLogOptions, type Witness } from './open-merkle-log.js';
export { isOrigin, OriginError } from './origin.js';
export * from './proof-log.js';
export { type Anchor, LogGuardError } from './start-guard.js';
export { erasedKeysText, parseErasedKeys } from './witness/erased-keys-note.js';
export { WitnessClient, type WitnessClientOptions } from './witness/witness-client.js';
