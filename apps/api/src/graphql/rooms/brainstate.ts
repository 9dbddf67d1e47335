import { BrainStateController } from '../../brainstate/brainstate.controller.js';
import { mutation, query } from '../field.js';

/** Working memory; each look at it is recorded, as over REST. */
export const brainstateFields = [
  query('brainstates', BrainStateController, 'list', 'BrainState'),
  query('brainstateTicks', BrainStateController, 'ticks', 'BrainStateTick'),
  query('brainstateSnapshot', BrainStateController, 'read', 'BrainStateSnapshot', { isDocument: true }),
  query('brainstateQuery', BrainStateController, 'query', 'BrainStateFound', { isDocument: true }),
  mutation('brainstateSnapshotCreate', BrainStateController, 'create', 'BrainStateCreated'),
  mutation('brainstateInsert', BrainStateController, 'insert', 'BrainStateInserted'),
  mutation('brainstateTick', BrainStateController, 'tick', 'BrainStateTicked'),
];
