export * from './domain/critics.js';
export * from './domain/vote.js';
