import type { EventDefinition } from '#lib/kernel';

import { criticEvents } from './domain/critic.events.js';
import { negotiationEvents as proposalEvents } from './domain/negotiation.events.js';

export * from './asked.js';
export * from './critic-list.js';
export * from './critics.js';
export * from './domain/aggregation.js';
export * from './domain/answers.js';
export * from './domain/critic.js';
export * from './domain/decision.js';
export * from './domain/negotiation.js';
export type * from './domain/negotiation.events.js';
export { NEGOTIATION_EVENT_TYPES, NEGOTIATION_STREAM, negotiationStream } from './domain/negotiation.events.js';
export * from './domain/quorum.js';
export type * from './domain/room-options.js';
export * from './domain/window.js';
export * from './hitl-rulings.js';
export * from './negotiation-list.js';
export * from './negotiation-view.js';
export * from './negotiations.js';
export { personOfId } from './person-of-id.js';
export * from './ports.js';
export * from './proposed-artifacts.js';
export * from './queries/get-negotiation.js';
export * from './queries/list-critics.js';
export * from './queries/list-negotiations.js';
export * from './read-models/negotiations.projection.js';
export { redactPersonal } from './redaction.js';
export type { ShownNegotiation } from './shown-negotiation.js';
export * from './waiters.js';

export const negotiationEvents: readonly EventDefinition[] = [...proposalEvents, ...criticEvents];
