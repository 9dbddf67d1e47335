import { ParkingController } from '../../projections/parking.controller.js';
import { ProjectionsController } from '../../projections/projections.controller.js';
import { RebuildsController } from '../../projections/rebuilds.controller.js';
import { mutation, query } from '../field.js';

/** Read models: how far they are, made anew, and the events that they cannot take. */
export const projectionFields = [
  query('projections', ProjectionsController, 'list', 'Projection'),
  query('projectionRerun', ProjectionsController, 'progress', 'ProjectionRerun'),
  query('projectionRebuilds', RebuildsController, 'list', 'ProjectionRebuildRow'),
  query('projectionRebuild', RebuildsController, 'get', 'ProjectionRebuild'),
  query('projectionParked', ParkingController, 'list', 'ParkedEventRow'),
  mutation('projectionRerunBegin', ProjectionsController, 'rerun', 'ProjectionRerunBegun'),
  mutation('projectionRebuildBegin', RebuildsController, 'begin', 'ProjectionRebuildBegun'),
  mutation('projectionRebuildCancel', RebuildsController, 'cancel', 'ProjectionRebuildCancelled'),
  mutation('projectionRebuildSwap', RebuildsController, 'swap', 'ProjectionRebuildSwapped'),
  mutation('projectionRebuildRollback', RebuildsController, 'rollBack', 'ProjectionRebuildRolledBack'),
  mutation('parkedEventPark', ParkingController, 'park', 'ParkedEvent'),
  mutation('parkedEventReplay', ParkingController, 'replay', 'ParkedEvent'),
  mutation('parkedEventDiscard', ParkingController, 'discard', 'ParkedEvent'),
  mutation('parkedEventSkip', ParkingController, 'skip', 'ParkedEvent'),
];
