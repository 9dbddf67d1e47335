export * from './domain/attention.js';
export * from './domain/brainstate.js';
export * from './domain/brainstate.events.js';
export * from './domain/constants.js';
export * from './domain/episodic-summary.js';
export * from './domain/goals.js';
export * from './domain/snapshot-body.js';
export * from './domain/working-memory.js';
