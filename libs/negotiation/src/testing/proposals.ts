import { NEGOTIATION_POLICY_DEFAULTS } from '../domain/decision.js';
import type { SubmitProposal, SubmitVote } from '../domain/negotiation.js';
import { WINDOW_DEFAULTS } from '../domain/window.js';

export const NOON = Date.parse('2026-01-01T12:00:00.000Z');

/** A proposal to three critics under the rules as they are installed. */
export const PROPOSAL: SubmitProposal = {
  artifact_id: 'art-1',
  artifact_type: 'CODE',
  artifact_content_type: 'text/plain',
  artifact_ref: '0'.repeat(64),
  producer_id: 'maker',
  producer_principal: 'user_maker',
  created_at: '2026-01-01T12:00:00.000Z',
  negotiation_room_id: 'room-1',
  requested_critics: ['a', 'b', 'c'],
  vote_collection_timeout_s: 0,
  quorum_policy: {},
  idempotency: null,
  policy: NEGOTIATION_POLICY_DEFAULTS,
  windows: WINDOW_DEFAULTS,
  now: NOON,
};

/** A sure vote for the proposal. */
export const vote = (critic_id: string, now = NOON + 1, more: Partial<SubmitVote> = {}): SubmitVote => ({
  artifact_id: 'art-1',
  critic_id,
  critic_principal: `user_${critic_id}`,
  voted_at: '2026-01-01T12:00:00.000Z',
  score: 9,
  confidence: 0.9,
  passed: true,
  strengths: [],
  weaknesses: [],
  recommendations: [],
  idempotency: null,
  now,
  ...more,
});
