import { AuditController } from '../../audit/audit.controller.js';
import { BundlesController } from '../../bundles/bundles.controller.js';
import { HistoryController } from '../../history/history.controller.js';
import { IncidentsController } from '../../incidents/incidents.controller.js';
import { IntegrityController } from '../../integrity/integrity.controller.js';
import { ProofController } from '../../proof/proof.controller.js';
import { mutation, query } from '../field.js';

/** The log as such, what proves it, and what went wrong. */
export const auditFields = [
  query('auditEvent', AuditController, 'event', 'AuditEvent'),
  query('auditTrail', AuditController, 'trail', 'AuditTrailRow'),
  query('auditEvents', AuditController, 'events', 'AuditEventRow'),
  query('auditStream', AuditController, 'stream', 'AuditStreamEvent'),
  query('auditEvidence', AuditController, 'evidence', 'AuditEvidence', { isDocument: true }),
  query('auditBundle', BundlesController, 'bundle', 'AuditBundle', { isDocument: true }),
  query('auditCheckpoint', ProofController, 'checkpoint', 'AuditCheckpoint'),
  query('auditProof', ProofController, 'proof', 'AuditProof'),
  query('auditConsistency', ProofController, 'consistency', 'AuditConsistency'),
  query('historyDiff', HistoryController, 'diff', 'HistoryDiff'),
  query('integrityVerifications', IntegrityController, 'list', 'IntegrityVerificationRow'),
  query('integrityVerification', IntegrityController, 'get', 'IntegrityVerification'),
  query('incidents', IncidentsController, 'list', 'Incident'),
  query('failedWrites', IncidentsController, 'failedWrites', 'FailedWrite'),
  query('refusedRequests', IncidentsController, 'refusedRequests', 'RefusedRequests'),
  mutation('integrityVerify', IntegrityController, 'verify', 'IntegrityVerificationBegun'),
  mutation('incidentAcknowledge', IncidentsController, 'acknowledge', 'IncidentAcknowledged'),
];
