import type { DomainEvent, EventDefinition, Json, JsonObject } from '#lib/kernel';

/** Events of `actionrequest-{id}`: appended to, never changed (seed 003 section 6; spec/decisions.md, "Governance"). */

export type RiskClass = 'low' | 'high';
export type ApprovalType = 'admin_single' | 'council_quorum';
export const BALLOTS = ['approve', 'reject', 'abstain'] as const;
export type Ballot = (typeof BALLOTS)[number];
/** What a vote is about: the request itself, or the review after an emergency. */
export type VotePhase = 'decision' | 'review';

export type Tally = Readonly<Record<Ballot, number>>;

/** What asks for something; everything that a decision on it needs stands here. */
export interface ActionRequested {
  readonly request_id: string;
  readonly action: string;
  /** The payload without the members that are somebody's personal content. */
  readonly payload: JsonObject;
  /** Those members, encrypted under the subject's key. */
  readonly withheld: JsonObject;
  readonly justification: string;
  readonly evidence: readonly string[];
  /** Where the wish comes from: `agent:user_solver`, `brainstate`, `operator:user_oscar`. */
  readonly origin: string;
  /** Principal that asks, and so has no vote. */
  readonly requested_by: string;
  /** Whose personal content payload and texts are; null where nobody's. */
  readonly subject: string | null;
  readonly risk_class: RiskClass;
  readonly required_approval_type: ApprovalType;
  /** sha256 of the canonical proposal. */
  readonly proposal_digest: string;
  /** Part of the proposal, so that its digest confirms no guess of what it holds once that is erased. */
  readonly nonce: string;
  /** Real time, ISO 8601: what due times count from. */
  readonly created_at: string;
  readonly due_at: string;
  /** Counted votes that decide it. */
  readonly council_quorum: number;
  /** Who may vote; null where every holder of the role council may. */
  readonly council_members: readonly string[] | null;
  readonly emergency_review_window_ms: number;
  readonly governance_snapshot_id: string;
}

export interface ActionVote {
  readonly request_id: string;
  readonly voter: string;
  readonly phase: VotePhase;
  readonly vote: Ballot;
  readonly proposal_digest: string;
  readonly reason?: string;
  readonly voted_at: string;
  /** Votes of this phase, this one included. */
  readonly tally: Tally;
}

export interface ActionApproved {
  readonly request_id: string;
  readonly action: string;
  readonly approval_type: ApprovalType | 'emergency';
  readonly approved_by: readonly string[];
  readonly proposal_digest: string;
  readonly decided_at: string;
}

export interface ActionRejected {
  readonly request_id: string;
  readonly reason: 'majority' | 'tie' | 'no_quorum' | 'admin';
  readonly tally: Tally;
  readonly decided_at: string;
}

export interface ActionExpired {
  readonly request_id: string;
  readonly reason: 'timeout';
  readonly decided_at: string;
}

/** The effect is there; `approval_event_id` says why. */
export interface ActionExecuted {
  readonly request_id: string;
  readonly action: string;
  readonly approval_event_id: string;
  /** Ids and places, never content. */
  readonly result: JsonObject;
  readonly executed_at: string;
}

/** What was approved cannot be done any more, and will not be tried again. */
export interface ActionFailed {
  readonly request_id: string;
  readonly action: string;
  readonly approval_event_id: string;
  readonly error_code: string;
  readonly reason: string;
  readonly failed_at: string;
}

/** One of the two signatures of an emergency. */
export interface EmergencySigned {
  readonly request_id: string;
  readonly signer: string;
  readonly role: 'superadmin' | 'admin';
  readonly proposal_digest: string;
  readonly reason?: string;
  readonly signed_at: string;
}

/** Both have signed: the request is approved past the council, which reviews it afterwards. */
export interface EmergencyOverride {
  readonly request_id: string;
  readonly signatures: readonly { readonly signer: string; readonly role: 'superadmin' | 'admin' }[];
  readonly proposal_digest: string;
  readonly overridden_at: string;
  readonly review_due_at: string;
}

export interface EmergencyReviewed {
  readonly request_id: string;
  readonly outcome: 'upheld' | 'disapproved' | 'overdue';
  readonly tally: Tally;
  readonly reviewed_at: string;
}

const personOnly = (id: Json | undefined): string | null =>
  typeof id === 'string' && id.startsWith('user_') ? id : null;

export const actionRequestEvents: readonly EventDefinition[] = [
  {
    type: 'ACTION_REQUESTED',
    version: 1,
    plain: [
      'request_id',
      'action',
      'payload',
      'origin',
      'requested_by',
      'subject',
      'risk_class',
      'required_approval_type',
      'proposal_digest',
      'created_at',
      'due_at',
      'council_quorum',
      'council_members',
      'emergency_review_window_ms',
      'governance_snapshot_id',
      // Of a job that asks for one in its own stream, or whose owner does beside its log: what is then brought here.
      'job_id',
      'user_id',
      'reason',
      'candidate_event_ids',
    ],
    personal: ['withheld', 'justification', 'evidence', 'nonce'],
    subject: (data) => personOnly(data['subject']),
  },
  {
    type: 'ACTION_VOTE',
    version: 1,
    plain: ['request_id', 'voter', 'phase', 'vote', 'proposal_digest', 'voted_at', 'tally'],
    personal: ['reason'],
    subject: (data) => personOnly(data['voter']),
  },
  {
    type: 'ACTION_APPROVED',
    version: 1,
    plain: ['request_id', 'action', 'approval_type', 'approved_by', 'proposal_digest', 'decided_at'],
  },
  { type: 'ACTION_REJECTED', version: 1, plain: ['request_id', 'reason', 'tally', 'decided_at'] },
  { type: 'ACTION_EXPIRED', version: 1, plain: ['request_id', 'reason', 'decided_at'] },
  {
    type: 'ACTION_EXECUTED',
    version: 1,
    plain: ['request_id', 'action', 'approval_event_id', 'result', 'executed_at'],
  },
  {
    type: 'ACTION_FAILED',
    version: 1,
    plain: ['request_id', 'action', 'approval_event_id', 'error_code', 'reason', 'failed_at'],
  },
  {
    type: 'EMERGENCY_SIGNED',
    version: 1,
    plain: ['request_id', 'signer', 'role', 'proposal_digest', 'signed_at'],
    personal: ['reason'],
    subject: (data) => personOnly(data['signer']),
  },
  {
    type: 'EMERGENCY_OVERRIDE',
    version: 1,
    plain: ['request_id', 'signatures', 'proposal_digest', 'overridden_at', 'review_due_at'],
  },
  { type: 'EMERGENCY_REVIEWED', version: 1, plain: ['request_id', 'outcome', 'tally', 'reviewed_at'] },
];

interface ActionRequestEventData {
  readonly ACTION_REQUESTED: ActionRequested;
  readonly ACTION_VOTE: ActionVote;
  readonly ACTION_APPROVED: ActionApproved;
  readonly ACTION_REJECTED: ActionRejected;
  readonly ACTION_EXPIRED: ActionExpired;
  readonly ACTION_EXECUTED: ActionExecuted;
  readonly ACTION_FAILED: ActionFailed;
  readonly EMERGENCY_SIGNED: EmergencySigned;
  readonly EMERGENCY_OVERRIDE: EmergencyOverride;
  readonly EMERGENCY_REVIEWED: EmergencyReviewed;
}

/** A domain event from typed data: the one cast between these types and JSON. */
export function actionEvent<T extends keyof ActionRequestEventData>(
  type: T,
  data: ActionRequestEventData[T],
): DomainEvent {
  return { type, data: data as unknown as JsonObject };
}

export function actionRequestStream(requestId: string): string {
  return `actionrequest-${requestId}`;
}

/** Whether a stream is a request's own: a job that asks for one records that too, in its stream. */
export function isRequestStream(stream: string): boolean {
  return stream.startsWith(actionRequestStream(''));
}
