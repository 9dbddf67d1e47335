import { IntegrityError } from '#lib/event-store';
import { MaceError } from '#lib/kernel';
import type { NegotiationView, Proposal, VoteView } from '#lib/negotiation';

import { type AskedOutside, OutsideCritics, type OutsideParts } from './outside-critics.js';

const OPEN = new AbortController().signal;
const START = Date.parse('2026-01-01T12:00:00.000Z');
const OWN = 'nobody votes on an answer of their own, or to themself';
const ASKED: AskedOutside = {
  round: {
    artifact_id: 'mace-answer-1',
    critics: ['ann', 'ben'],
    window_s: 60,
    node_id: 'agent:math_v1',
    memory_write: null,
  },
  candidate: { query_text: '2 + 2', agent_id: 'math_agent', text: '4', confidence: 1, evidence: [] },
  candidate_event_id: '1',
  job_seed: 'seed-1',
  user_id: 'user_tuff',
  max_text: 100,
};

const voteOf = (critic_id: string, more: Partial<VoteView> = {}): VoteView => ({
  critic_id,
  score: 8,
  confidence: 0.9,
  passed: true,
  strengths: [],
  weaknesses: [],
  recommendations: [],
  voted_at: null,
  ...more,
});

/** A room with one negotiation, whose window is as long as it was proposed. */
class OneRoom implements Pick<OutsideParts['room'], 'proposeAnswer' | 'find' | 'wait' | 'close'> {
  now = START;
  votes: readonly VoteView[] = [];
  proposals: { readonly proposal: Proposal; readonly subject: string }[] = [];
  isClosed = false;
  readonly refused: unknown[] = [];
  /** What happens while somebody waits. */
  meanwhile: () => void = () => (this.now += 60_000);

  collect(asked: Partial<AskedOutside> = {}, signal = OPEN) {
    const parts = {
      room: this,
      now: () => this.now,
      onRefused: (_: string, error: unknown) => this.refused.push(error),
    };
    return new OutsideCritics(parts).collect({ ...ASKED, ...asked }, signal);
  }

  async proposeAnswer(...[, proposal, subject]: Parameters<OutsideParts['room']['proposeAnswer']>) {
    this.proposals.push({ proposal, subject });
    return proposal;
  }

  async find(): Promise<NegotiationView | null> {
    const [opened] = this.proposals;
    if (!opened) return null;
    const { vote_collection_timeout_s: seconds, requested_critics } = opened.proposal;
    const voted = new Set(this.votes.map(({ critic_id }) => critic_id));
    const missing = requested_critics.filter((critic) => !voted.has(critic));
    return {
      proposal: { due_at: new Date(START + seconds * 1000).toISOString() },
      votes: this.votes,
      decision: this.isClosed ? { collection_timeout_reached: missing.length > 0 } : null,
      unavailable: missing.map((critic_id) => ({ critic_id, reason: 'silent', at: '' })),
    } as unknown as NegotiationView;
  }

  async wait(): Promise<NegotiationView> {
    this.meanwhile();
    if (!this.isClosed) throw new MaceError('WAIT_TIMEOUT', 'there is no decision yet');
    return (await this.find())!;
  }

  async close(): Promise<void> {
    this.isClosed = true;
  }
}

let room: OneRoom;
beforeEach(() => (room = new OneRoom()));

describe('asking outside critics', () => {
  it('proposes the answer once, under the data key of whoever is answered, and takes the votes that were counted', async () => {
    room.meanwhile = () => {
      room.votes = [
        voteOf('ben', { score: 3, passed: false, recommendations: ['Say why.', 'Say how.'] }),
        voteOf('ann'),
      ];
      room.isClosed = true;
    };
    expect(await room.collect()).toEqual({
      votes: [
        expect.objectContaining({ council_agent_id: 'ben', approve: false, suggested_changes: 'Say why.\nSay how.' }),
        expect.objectContaining({ council_agent_id: 'ann', scores: { factuality: 0.8, coherence: 0.8, safety: 0.8 } }),
      ],
      unavailable: {},
      collection_timeout_reached: false,
    });
    expect(room.proposals).toEqual([
      {
        proposal: expect.objectContaining({
          artifact_id: 'mace-answer-1',
          negotiation_room_id: 'mace-answer-council',
          producer_id: 'agent:math_v1',
          requested_critics: ['ann', 'ben'],
          vote_collection_timeout_s: 60,
          artifact_content_type: 'application/json',
        }) as Proposal,
        subject: 'user_tuff',
      },
    ]);
  });

  it('asked again, waits for the same negotiation and proposes nothing', async () => {
    await room.collect();
    room.votes = [voteOf('ann')];
    expect((await room.collect()).votes).toHaveLength(1);
    expect(room.proposals).toHaveLength(1);
  });

  it('closes an overdue window itself, and says why each critic is missing', async () => {
    room.votes = [voteOf('ben')];
    expect(await room.collect()).toMatchObject({
      votes: [{ council_agent_id: 'ben' }],
      unavailable: { ann: 'no vote in time: silent' },
      collection_timeout_reached: true,
    });
  });

  it.each<[string, Partial<AskedOutside>, string]>([
    ['who is answered', { user_id: 'user_ann' }, 'ann'],
    ['who asked for another', { asked_by: { id: 'user_ann', roles: ['admin'], elevated: true } }, 'ann'],
    ['the agent', { round: { ...ASKED.round, critics: ['math_agent', 'ben'] } }, 'math_agent'],
    ['the module', { round: { ...ASKED.round, critics: ['agent:math_v1', 'ben'] } }, 'agent:math_v1'],
  ])('gives no vote on an answer to %s', async (_, asked, critic) => {
    const { unavailable } = await room.collect(asked);
    expect(unavailable).toMatchObject({ [critic]: OWN });
    expect(room.proposals.map(({ proposal }) => proposal.requested_critics)).toEqual([['ben']]);
  });

  it('proposes nothing where nobody is left to ask', async () => {
    const round = { ...ASKED.round, critics: ['tuff'] };
    expect(await room.collect({ round })).toEqual({
      votes: [],
      unavailable: { tuff: OWN },
      collection_timeout_reached: false,
    });
    expect(room.proposals).toEqual([]);
  });

  it.each([
    ['refuses it', new MaceError('PRIVACY_BLOCKED', 'x'), 'PRIVACY_BLOCKED'],
    ['holds a record that was changed', new IntegrityError('s', 1, 'x'), 'INTEGRITY_FAILURE'],
  ])('takes all as unavailable where the room %s, and tells it', async (_, error, code) => {
    room.proposeAnswer = () => Promise.reject(error);
    const reason = `the Negotiation Room did not take it: ${code}`;
    expect(await room.collect()).toMatchObject({ votes: [], unavailable: { ann: reason, ben: reason } });
    expect(room.refused).toEqual([error]);
  });

  it('goes on with what another process proposed first', async () => {
    const propose = room.proposeAnswer.bind(room);
    room.proposeAnswer = async (...asked) => {
      await propose(...asked);
      throw new MaceError('CONFLICT', 'artifact mace-answer-1 was proposed before');
    };
    room.votes = [voteOf('ann')];
    expect((await room.collect()).votes).toHaveLength(1);
  });

  it('fails where a store does, so that the job is left to be taken up again', async () => {
    const gone = new MaceError('STORAGE_FULL', 'x');
    room.proposeAnswer = () => Promise.reject(gone);
    await expect(room.collect()).rejects.toBe(gone);
  });

  it('waits on where the room is away for a while, and no longer than its job does', async () => {
    const abandoning = new AbortController();
    room.wait = () => {
      abandoning.abort();
      return Promise.reject(new MaceError('DATA_UNAVAILABLE', 'this process stops; ask again'));
    };
    await expect(room.collect({}, abandoning.signal)).rejects.toMatchObject({ name: 'AbortError' });
  });
});
