import { isErased, type LoggedEvent } from '#lib/event-store';
import type { Json, JsonObject } from '#lib/kernel';

import { tallyOf } from './domain/request-ruling.js';
import { evolveRequest, initialRequest, type RequestStatus } from './domain/request-state.js';
import type {
  ActionRequested,
  ActionVote,
  ApprovalType,
  Ballot,
  RiskClass,
  Tally,
  VotePhase,
} from './domain/action-requests.events.js';
import type { Proposal } from './domain/proposal.js';
import type { UnderReview } from './reviewed-jobs.js';

/** A request as people see it. */
export interface RequestView {
  readonly request_id: string;
  readonly kind: string;
  readonly status: RequestStatus;
  readonly risk_class: RiskClass;
  readonly required_approval_type: ApprovalType;
  readonly origin: string;
  readonly requested_by: string;
  readonly payload: JsonObject;
  readonly justification: Json;
  readonly evidence: Json;
  /** sha256 of the canonical `proposal`: what a vote signs. */
  readonly proposal_digest: string;
  /** What the digest is of; null where it is redacted or erased. */
  readonly proposal: Proposal | null;
  readonly created_at: string;
  readonly due_at: string;
  readonly timestamp_seeded: string;
  readonly council_quorum: number;
  readonly tally: Tally;
  readonly votes: readonly VoteView[];
  /** The newest decision, execution included; null while there is none. */
  readonly decision: JsonObject | null;
  readonly execution: JsonObject | null;
  readonly emergency: { readonly signatures: Json; readonly review: Json } | null;
  /** Only where one request is read: the job that people are asked to review. */
  readonly under_review?: UnderReview;
  readonly event_id: string;
  /** Number of events. */
  readonly version: number;
}

interface VoteView {
  readonly voter: string;
  readonly phase: VotePhase;
  readonly vote: Ballot;
  readonly reason: Json;
  readonly voted_at: string;
  readonly event_id: string;
}

export const REDACTED = '[redacted]';
const ERASED_TEXT = '[erased]';
const DECISIONS = ['ACTION_APPROVED', 'ACTION_REJECTED', 'ACTION_EXPIRED'];
const EXECUTIONS = ['ACTION_EXECUTED', 'ACTION_FAILED'];

/** A request from its stream's events, personal fields in plain. */
export function requestView(events: readonly LoggedEvent[]): RequestView {
  const first = events[0]!;
  const asked = first.data as unknown as ActionRequested;
  const state = events.reduce(evolveRequest, initialRequest);
  const newest = (types: readonly string[]): JsonObject | null =>
    events.findLast(({ type }) => types.includes(type))?.data ?? null;
  const proposal = proposalOf(asked);
  return {
    request_id: asked.request_id,
    kind: asked.action,
    status: state.status,
    risk_class: asked.risk_class,
    required_approval_type: asked.required_approval_type,
    origin: asked.origin,
    requested_by: asked.requested_by,
    payload: proposal?.payload ?? asked.payload,
    justification: shown(asked.justification),
    evidence: shown(asked.evidence),
    proposal_digest: asked.proposal_digest,
    proposal,
    created_at: asked.created_at,
    due_at: asked.due_at,
    timestamp_seeded: first.metadata.timestamp_seeded,
    council_quorum: asked.council_quorum,
    tally: tallyOf(state.votes),
    votes: events.filter(({ type }) => type === 'ACTION_VOTE').map(voteView),
    decision: newest(DECISIONS),
    execution: newest(EXECUTIONS),
    emergency:
      state.signatures.length === 0
        ? null
        : { signatures: state.signatures as unknown as Json, review: state.review as unknown as Json },
    event_id: first.metadata.event_id,
    version: events.length,
  };
}

/** The same for those who may not read what was said: ids, classes and votes stay. */
export function redactedView(view: RequestView): RequestView {
  return {
    ...view,
    payload: { action: view.kind },
    justification: REDACTED,
    evidence: [],
    proposal: null,
    votes: view.votes.map((vote) => ({ ...vote, reason: vote.reason === null ? null : REDACTED })),
  };
}

/** The proposal as it was signed; null once a part of it is erased. */
export function proposalOf(asked: ActionRequested): Proposal | null {
  const { request_id, justification, evidence, origin, requested_by, nonce, withheld, payload } = asked;
  if ([withheld, justification, evidence, nonce].some(isErased)) return null;
  return {
    request_id,
    payload: { ...payload, ...withheld },
    justification,
    evidence,
    origin,
    requested_by,
    nonce,
  };
}

function voteView({ data, metadata }: LoggedEvent): VoteView {
  const { voter, phase, vote, reason, voted_at } = data as unknown as ActionVote;
  return { voter, phase, vote, reason: shown(reason ?? null), voted_at, event_id: metadata.event_id };
}

function shown(value: Json): Json {
  return isErased(value) ? ERASED_TEXT : value;
}
