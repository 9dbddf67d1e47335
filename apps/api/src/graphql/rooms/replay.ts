import { HaltsController } from '../../halts/halts.controller.js';
import { UnreplayableController } from '../../halts/unreplayable.controller.js';
import { ReplayController } from '../../replay/replay.controller.js';
import { SweepsController } from '../../replay/sweeps.controller.js';
import { mutation, query } from '../field.js';

/** Replays of jobs, one by one and swept, and what keeps one from being made. */
export const replayFields = [
  query('replays', ReplayController, 'list', 'ReplayRow'),
  query('replay', ReplayController, 'read', 'Replay'),
  query('replayHalts', HaltsController, 'list', 'ReplayHalt'),
  query('replaySweeps', SweepsController, 'list', 'ReplaySweepRow'),
  query('replaySweep', SweepsController, 'get', 'ReplaySweep'),
  query('unreplayableJobs', UnreplayableController, 'list', 'UnreplayableJob'),
  mutation('replayRequest', ReplayController, 'request', 'ReplayRequested'),
  mutation('replayForceContinue', ReplayController, 'forceContinue', 'ReplayContinued'),
  mutation('replayHaltClear', HaltsController, 'clear', 'ReplayHaltCleared'),
  mutation('replaySweepBegin', SweepsController, 'begin', 'ReplaySweepBegun'),
  mutation('replaySweepCancel', SweepsController, 'cancel', 'ReplaySweepCancelled'),
];
