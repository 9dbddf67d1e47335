import type { JsonObject } from '#lib/kernel';
import type { ProjectedEvent, Projection } from '#lib/projections';
import type { Change, CollectionDefinition } from '#lib/read-store';

import { HITL } from '../domain/action-kinds.js';
import type { RequestStatus } from '../domain/request-state.js';
import {
  type ActionRequested,
  type ActionVote,
  type ApprovalType,
  isRequestStream,
  type RiskClass,
  type Tally,
} from '../domain/action-requests.events.js';

/** One document a request: what lists show. What was said stays in the request's stream. */
export interface RequestRow {
  readonly request_id: string;
  readonly kind: string;
  /** Of what the Negotiation Room brings before people: ids alone. Absent of everything else. */
  readonly payload?: JsonObject;
  readonly status: RequestStatus;
  readonly risk_class: RiskClass;
  readonly required_approval_type: ApprovalType;
  readonly origin: string;
  readonly requested_by: string;
  readonly proposal_digest: string;
  readonly created_at: string;
  readonly due_at: string;
  readonly council_quorum: number;
  readonly tally: Tally;
  /** Position of ACTION_REQUESTED: what lists sort by. */
  readonly position: number;
  /** When it, or the review of its emergency, closes by itself; null once nothing is open. ISO 8601. */
  readonly closes_at: string | null;
}

export const REQUESTS_COLLECTION: CollectionDefinition = {
  name: 'requests',
  indexes: ['status', 'kind', 'requested_by', 'position', 'closes_at'],
};

export const actionRequestsProjection: Projection = {
  name: 'actionrequests',
  version: 2,
  collections: [REQUESTS_COLLECTION],
  types: [
    'ACTION_REQUESTED',
    'ACTION_VOTE',
    'ACTION_APPROVED',
    'ACTION_REJECTED',
    'ACTION_EXPIRED',
    'ACTION_EXECUTED',
    'ACTION_FAILED',
    'EMERGENCY_OVERRIDE',
    'EMERGENCY_REVIEWED',
  ],
  project(event: ProjectedEvent): readonly Change[] {
    if (!isRequestStream(event.stream)) return [];
    const fields = event.type === 'ACTION_REQUESTED' ? requested(event) : changed(event);
    const id = event.data['request_id'] as string;
    return fields ? [{ op: 'merge', collection: REQUESTS_COLLECTION.name, id, fields }] : [];
  },
};

function requested({ data, position }: ProjectedEvent): JsonObject {
  const asked = data as unknown as ActionRequested;
  const row: RequestRow = {
    request_id: asked.request_id,
    kind: asked.action,
    ...(asked.action === HITL ? { payload: asked.payload } : {}),
    status: 'pending',
    risk_class: asked.risk_class,
    required_approval_type: asked.required_approval_type,
    origin: asked.origin,
    requested_by: asked.requested_by,
    proposal_digest: asked.proposal_digest,
    created_at: asked.created_at,
    due_at: asked.due_at,
    council_quorum: asked.council_quorum,
    tally: { approve: 0, reject: 0, abstain: 0 },
    position: Number(position),
    closes_at: asked.due_at,
  };
  return { ...row };
}

function changed({ type, data }: ProjectedEvent): JsonObject | null {
  switch (type) {
    case 'ACTION_VOTE': {
      const { phase, tally } = data as unknown as ActionVote;
      return phase === 'decision' ? { tally } : { review_tally: tally };
    }
    case 'ACTION_APPROVED':
      // An emergency's review stays open: EMERGENCY_OVERRIDE, before this in the same append, said until when.
      return data['approval_type'] === 'emergency' ? { status: 'approved' } : { status: 'approved', closes_at: null };
    case 'ACTION_REJECTED':
      return { status: 'rejected', closes_at: null };
    case 'ACTION_EXPIRED':
      return { status: 'expired', closes_at: null };
    case 'ACTION_EXECUTED':
      return { status: 'executed' };
    case 'ACTION_FAILED':
      return { execution: { error_code: data['error_code'] ?? null } };
    case 'EMERGENCY_OVERRIDE':
      return { closes_at: data['review_due_at'] ?? null };
    case 'EMERGENCY_REVIEWED':
      return { closes_at: null, review: data['outcome'] ?? null };
    default:
      return null;
  }
}
