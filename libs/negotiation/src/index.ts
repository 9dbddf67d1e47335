export * from './domain/aggregation.js';
export * from './domain/decision.js';
export * from './domain/negotiation.events.js';
export * from './domain/negotiation.js';
export * from './domain/quorum.js';
export * from './domain/window.js';
