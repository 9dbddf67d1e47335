export * from './domain/brainstate.js';
export * from './domain/constants.js';
