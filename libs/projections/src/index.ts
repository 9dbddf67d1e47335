export * from './errors.js';
export * from './listing.js';
export * from './projection.js';
export * from './projection-host.js';
export * from './projection-runner.js';
export * from './read-model.js';
export * from './rerun.js';
export { type RerunProgress } from './rerun-progress.js';
export * from './status.js';
