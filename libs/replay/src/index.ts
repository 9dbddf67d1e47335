export * from './audit.js';
export * from './domain/diff.js';
export * from './domain/replay.events.js';
export * from './replays.js';
