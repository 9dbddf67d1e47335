export * from './corpus.js';
export type { ExcludedCandidate, RoutingModule } from './domain/candidates.js';
export * from './domain/decide.js';
export { ownIntentsFault } from './domain/own-intents.js';
export * from './domain/qcp.js';
export * from './domain/router-constants.js';
export { leastTrust, type ScoredCandidate } from './domain/scoring.js';
export * from './domain/stage0.js';
