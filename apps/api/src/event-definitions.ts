import { adminAccess, forensicEvents } from '#lib/audit';
import { brainstateEvents } from '#lib/brainstate';
import { dsrEvents } from '#lib/dsr';
import { actionRequestEvents, policyEvents, snapshotEvents, snapshotHaltEvents } from '#lib/governance';
import { releaseEvents } from '#lib/history';
import { incidentEvents, outageDefinitions } from '#lib/incidents';
import { integrityEvents } from '#lib/integrity';
import { amendmentEvents, jobEvents, lateAnswerEvents, lateVoteEvents, routeEvents } from '#lib/jobs';
import type { EventDefinition } from '#lib/kernel';
import { memoryEvents } from '#lib/memory';
import { migrationEvents } from '#lib/migration';
import { negotiationEvents } from '#lib/negotiation';
import { privacyEvents } from '#lib/privacy';
import { projectionEvents, rerunEvents } from '#lib/projections';
import { restoreEvents } from '#lib/proof';
import { replayEvents, sweepEvents } from '#lib/replay';
import { moduleEvents, reservationEvents } from '#lib/selfrep';

/** Every event type that a process can write or read, besides those of access. */
export const EVENT_DEFINITIONS: readonly EventDefinition[] = [
  ...memoryEvents,
  ...snapshotEvents,
  ...snapshotHaltEvents,
  ...policyEvents,
  ...actionRequestEvents,
  adminAccess,
  ...forensicEvents,
  ...brainstateEvents,
  ...jobEvents,
  ...lateAnswerEvents,
  ...lateVoteEvents,
  ...negotiationEvents,
  ...routeEvents,
  ...amendmentEvents,
  ...releaseEvents,
  ...replayEvents,
  ...sweepEvents,
  ...restoreEvents,
  ...migrationEvents,
  ...moduleEvents,
  ...reservationEvents,
  ...incidentEvents,
  ...outageDefinitions,
  ...integrityEvents,
  ...projectionEvents,
  ...rerunEvents,
  ...privacyEvents,
  ...dsrEvents,
];
