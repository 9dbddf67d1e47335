export * from './domain/incident.js';
export * from './domain/incidents.events.js';
export * from './incident-reaction.js';
