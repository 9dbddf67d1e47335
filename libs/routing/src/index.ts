export type { ExcludedCandidate, Exclusion, RoutingModule } from './domain/candidates.js';
export * from './domain/decide.js';
export * from './domain/qcp.js';
export * from './domain/router-constants.js';
export type { RoutingGoal, ScoredCandidate } from './domain/scoring.js';
export * from './domain/stage0.js';
