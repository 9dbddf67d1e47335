export * from './answer-council.js';
export * from './critics.js';
export * from './domain/critics.js';
export * from './domain/findings.js';
export * from './domain/outside-vote.js';
export { statedResult } from './domain/stated-result.js';
export * from './domain/vote.js';
