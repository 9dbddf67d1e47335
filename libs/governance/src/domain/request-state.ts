import type { JsonObject } from '#lib/kernel';

import type {
  ActionApproved,
  ActionRequested,
  ActionVote,
  Ballot,
  EmergencyOverride,
  EmergencySigned,
} from './action-requests.events.js';

/** What is known of one request, from its events (spec/decisions.md, "Governance"). */

export type RequestStatus = 'pending' | 'approved' | 'rejected' | 'expired' | 'executed';

/** What the rules need of ACTION_REQUESTED; nothing personal. */
export type Terms = Pick<
  ActionRequested,
  | 'request_id'
  | 'action'
  | 'requested_by'
  | 'required_approval_type'
  | 'risk_class'
  | 'proposal_digest'
  | 'council_quorum'
  | 'council_members'
  | 'emergency_review_window_ms'
  | 'due_at'
>;

export type Votes = Readonly<Record<string, Ballot>>;

export interface Review {
  readonly due_at: string;
  readonly votes: Votes;
  readonly outcome: 'upheld' | 'disapproved' | 'overdue' | null;
}

export interface RequestState {
  /** Null before ACTION_REQUESTED. */
  readonly terms: Terms | null;
  /** event_id of ACTION_REQUESTED: what closes it is a reaction to it. */
  readonly requestEventId: string;
  readonly status: RequestStatus;
  readonly votes: Votes;
  readonly signatures: readonly Pick<EmergencySigned, 'signer' | 'role'>[];
  readonly approval: { readonly event_id: string; readonly approval_type: ActionApproved['approval_type'] } | null;
  /** After the approval: whether what was asked for was done. */
  readonly execution: 'done' | 'failed' | null;
  /** Only after an emergency. */
  readonly review: Review | null;
}

export const initialRequest: RequestState = {
  terms: null,
  requestEventId: '',
  status: 'pending',
  votes: {},
  signatures: [],
  approval: null,
  execution: null,
  review: null,
};

export function evolveRequest(
  state: RequestState,
  event: { readonly type: string; readonly data: JsonObject; readonly metadata: { readonly event_id: string } },
): RequestState {
  const data: unknown = event.data;
  switch (event.type) {
    case 'ACTION_REQUESTED':
      return { ...state, terms: termsOf(data as ActionRequested), requestEventId: event.metadata.event_id };
    case 'ACTION_VOTE': {
      const { voter, vote, phase } = data as ActionVote;
      if (phase === 'decision') return { ...state, votes: { ...state.votes, [voter]: vote } };
      return state.review
        ? { ...state, review: { ...state.review, votes: { ...state.review.votes, [voter]: vote } } }
        : state;
    }
    case 'ACTION_APPROVED': {
      const { approval_type } = data as ActionApproved;
      return { ...state, status: 'approved', approval: { event_id: event.metadata.event_id, approval_type } };
    }
    case 'ACTION_REJECTED':
      return { ...state, status: 'rejected' };
    case 'ACTION_EXPIRED':
      return { ...state, status: 'expired' };
    case 'ACTION_EXECUTED':
      return { ...state, status: 'executed', execution: 'done' };
    case 'ACTION_FAILED':
      return { ...state, execution: 'failed' };
    case 'EMERGENCY_SIGNED': {
      const { signer, role } = data as EmergencySigned;
      return { ...state, signatures: [...state.signatures, { signer, role }] };
    }
    case 'EMERGENCY_OVERRIDE':
      return {
        ...state,
        review: { due_at: (data as EmergencyOverride).review_due_at, votes: {}, outcome: null },
      };
    case 'EMERGENCY_REVIEWED':
      return state.review
        ? { ...state, review: { ...state.review, outcome: (data as { outcome: Review['outcome'] }).outcome } }
        : state;
    default:
      return state;
  }
}

/** When the state next changes by itself; null where it does not. ISO 8601. */
export function dueAt({ terms, status, review }: RequestState): string | null {
  if (terms && status === 'pending') return terms.due_at;
  return review && review.outcome === null ? review.due_at : null;
}

function termsOf(data: ActionRequested): Terms {
  return {
    request_id: data.request_id,
    action: data.action,
    requested_by: data.requested_by,
    required_approval_type: data.required_approval_type,
    risk_class: data.risk_class,
    proposal_digest: data.proposal_digest,
    council_quorum: data.council_quorum,
    council_members: data.council_members,
    emergency_review_window_ms: data.emergency_review_window_ms,
    due_at: data.due_at,
  };
}
