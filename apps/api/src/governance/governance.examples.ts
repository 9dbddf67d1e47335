import type { ErrorCode } from '#lib/kernel';

/** Examples of the documentation. */
export const PENDING = {
  request_id: 'ar-0123456789abcdef0123456789abcdef',
  kind: 'sem_put',
  status: 'pending',
  risk_class: 'high',
  required_approval_type: 'council_quorum',
  origin: 'agent:user_solver',
  requested_by: 'user_solver',
  payload: { action: 'sem_put', key: 'world/physics/ohms_law/definition', value: 'V = IR' },
  justification: 'named in three answers of today',
  evidence: ['ep:3f2a'],
  proposal_digest: '3f2a9c0d5b7e41868e0f6ad1c2b394857a6f0e1d2c3b4a5968778695a4b3c2d1',
  created_at: '2026-01-01T12:00:00.000Z',
  due_at: '2026-01-02T12:00:00.000Z',
  council_quorum: 3,
  tally: { approve: 0, reject: 0, abstain: 0 },
  votes: [],
  decision: null,
  execution: null,
  emergency: null,
  version: 1,
};

export const DECIDED = { ...PENDING, status: 'approved', tally: { approve: 3, reject: 0, abstain: 0 }, version: 5 };

export const REQUEST_ERRORS: readonly ErrorCode[] = ['CONFLICT', 'IDEMPOTENCY_KEY_REUSED', 'STORAGE_FULL'];
