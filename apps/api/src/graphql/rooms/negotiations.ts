import { CriticsController } from '../../negotiation/critics.controller.js';
import { NegotiationsController } from '../../negotiation/negotiations.controller.js';
import { query } from '../field.js';

/** The Negotiation Room, looked at from here; it is entered over gRPC. */
export const negotiationFields = [
  query('negotiations', NegotiationsController, 'list', 'NegotiationRow'),
  query('critics', CriticsController, 'list', 'Critic'),
  query('negotiation', NegotiationsController, 'read', 'Negotiation'),
];
