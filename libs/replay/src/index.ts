export * from './audit.js';
export * from './domain/diff.js';
export * from './domain/replay.events.js';
export * from './replays.js';
export * from './commands/request-replay.js';
export * from './queries/get-replay.js';
export * from './replay.module.js';
