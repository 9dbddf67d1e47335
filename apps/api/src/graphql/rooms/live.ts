import { goesOn, type RebuildView } from '#lib/projections';

import { JobProgressController } from '../../live/job-progress.controller.js';
import { TailController } from '../../live/tail.controller.js';
import { RebuildsController } from '../../projections/rebuilds.controller.js';
import { followed, watched } from '../subscription.js';

/** What can be followed. */
export const SUBSCRIPTIONS = [
  followed(
    'eventTail',
    TailController,
    'follow',
    { event: 'AuditEventRow', unverified: 'UnverifiedEvent' },
    'Events of the log as they come, from now on or exactly after a position.',
  ),
  followed(
    'jobProgress',
    JobProgressController,
    'progress',
    { progress: 'JobStep' },
    'Each stage that a job comes to, from its first or after a position, until it has ended.',
  ),
  watched(
    'projectionRebuildProgress',
    RebuildsController,
    'get',
    'ProjectionRebuild',
    'How far a rebuild is, whenever that has changed, until it runs no more.',
    (rebuild) => !goesOn(rebuild as RebuildView),
  ),
];
