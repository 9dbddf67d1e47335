export { releaseEvents, RELEASES_STREAM, type ReleaseRecorded } from './domain/releases.js';
export * from './history.module.js';
export * from './history-diff.js';
export * from './kinds.js';
export * from './queries/diff-history.js';
export * from './released.js';
export * from './releases.js';
export * from './tellers.js';
