import fc from 'fast-check';

import { MaceError, type DomainEvent } from '#lib/kernel';

import { decideApprove, decideClose, decideVote } from './action-request.js';
import { actionEvent, type ActionRequested, type Ballot, BALLOTS } from './action-requests.events.js';
import { decideSignature } from './request-emergency.js';
import type { Voter } from './request-refusals.js';
import { rulingOf, tallyOf } from './request-ruling.js';
import { evolveRequest, initialRequest, type RequestState } from './request-state.js';

const DIGEST = 'd'.repeat(64);
const NOW = Date.UTC(2026, 0, 1);
const HOUR = 3_600_000;

const council = (id: string): Voter => ({ id, isCouncil: true, isAdmin: false, isSuperadmin: false });
const admin = (id: string): Voter => ({ id, isCouncil: false, isAdmin: true, isSuperadmin: false });
const superadmin = (id: string): Voter => ({ id, isCouncil: false, isAdmin: true, isSuperadmin: true });

function requested(terms: Partial<ActionRequested> = {}): DomainEvent {
  return actionEvent('ACTION_REQUESTED', {
    request_id: 'ar-1',
    action: 'sem_put',
    payload: { action: 'sem_put' },
    withheld: {},
    justification: 'because',
    evidence: [],
    origin: 'agent:user_solver',
    requested_by: 'user_solver',
    subject: null,
    risk_class: 'high',
    required_approval_type: 'council_quorum',
    proposal_digest: DIGEST,
    nonce: '',
    created_at: new Date(NOW).toISOString(),
    due_at: new Date(NOW + 24 * HOUR).toISOString(),
    council_quorum: 3,
    council_members: null,
    emergency_review_window_ms: 24 * HOUR,
    governance_snapshot_id: 's',
    ...terms,
  });
}

const LOW = { risk_class: 'low', required_approval_type: 'admin_single', action: 'maintenance' } as const;

function given(...events: readonly DomainEvent[]): RequestState {
  return events.reduce(
    (state, event, i) => evolveRequest(state, { ...event, metadata: { event_id: `e${i}` } }),
    initialRequest,
  );
}

function when(state: RequestState, voter: Voter, vote: Ballot, more: { digest?: string; now?: number } = {}) {
  return decideVote(state, { voter, vote, proposal_digest: more.digest ?? DIGEST, now: more.now ?? NOW });
}

const then = (events: readonly DomainEvent[]): string[] => events.map(({ type }) => type);

/** Votes one after another, as far as they are taken. */
function voted(ballots: readonly (readonly [string, Ballot])[], terms = requested()) {
  const all: DomainEvent[] = [terms];
  for (const [id, ballot] of ballots) {
    try {
      all.push(...when(given(...all), council(id), ballot));
    } catch (error) {
      if (!(error instanceof MaceError)) throw error;
    }
  }
  return all;
}

function refusal(doing: () => unknown): string {
  try {
    doing();
  } catch (error) {
    if (error instanceof MaceError) return `${error.code}: ${error.developerMessage}`;
    throw error;
  }
  throw new Error('it was not refused');
}

describe('a request that the council decides', () => {
  const open = given(requested());

  it('stays open below three counted votes, abstentions left out', () => {
    const events = voted([
      ['a', 'approve'],
      ['b', 'abstain'],
      ['c', 'approve'],
      ['d', 'abstain'],
    ]);
    expect(given(...events).status).toBe('pending');
  });

  it('is approved by the third counted vote, in the same append, by the majority', () => {
    const before = given(...voted([['a', 'approve'], ['b', 'reject']])); // prettier-ignore
    const events = when(before, council('c'), 'approve');
    expect(then(events)).toEqual(['ACTION_VOTE', 'ACTION_APPROVED']);
    expect(events[0]!.data).toMatchObject({ voter: 'c', tally: { approve: 2, reject: 1, abstain: 0 } });
    expect(events[1]!.data).toMatchObject({
      approval_type: 'council_quorum',
      approved_by: ['a', 'c'],
      proposal_digest: DIGEST,
    });
  });

  it('is rejected where the majority rejects, and where an even quorum is tied', () => {
    const lost = voted([['a', 'reject'], ['b', 'reject'], ['c', 'approve']]); // prettier-ignore
    expect(lost.at(-1)).toMatchObject({ type: 'ACTION_REJECTED', data: { reason: 'majority' } });
    const four = requested({ council_quorum: 4 });
    const tied = voted([['a', 'reject'], ['b', 'approve'], ['c', 'approve'], ['d', 'reject']], four); // prettier-ignore
    expect(tied.at(-1)).toMatchObject({ type: 'ACTION_REJECTED', data: { reason: 'tie' } });
  });

  it('takes no second vote, whatever it says', () => {
    const once = given(...voted([['a', 'approve']]));
    for (const vote of BALLOTS) {
      expect(refusal(() => when(once, council('a'), vote))).toBe(
        'CONFLICT: you have voted already; the first vote stands',
      );
    }
  });

  it('takes no vote of who asked, of who is not on the council, of who is not among its named members', () => {
    expect(refusal(() => when(open, council('user_solver'), 'approve'))).toBe(
      'PERMISSION_DENIED: nobody votes on their own request',
    );
    expect(refusal(() => when(open, superadmin('root'), 'approve'))).toBe(
      'PERMISSION_DENIED: this is decided by members of the council',
    );
    const named = given(requested({ council_members: ['a', 'b', 'c'] }));
    expect(then(when(named, council('a'), 'approve'))).toEqual(['ACTION_VOTE']);
    expect(refusal(() => when(named, council('stranger'), 'approve'))).toBe(
      'PERMISSION_DENIED: you are not among the members of the council that decide this',
    );
  });

  it('takes no vote that signs another proposal', () => {
    expect(refusal(() => when(open, council('a'), 'approve', { digest: 'f'.repeat(64) }))).toBe(
      'CONFLICT: proposal_digest: not the digest of this request’s proposal; read the request again',
    );
  });

  it('takes no vote once it is decided, and none at or after the end of the window', () => {
    const done = given(...voted([['a', 'approve'], ['b', 'approve'], ['c', 'approve']])); // prettier-ignore
    expect(refusal(() => when(done, council('d'), 'reject'))).toBe(
      'CONFLICT: the request is approved; it takes no votes any more',
    );
    const last = { now: NOW + 24 * HOUR - 1 };
    expect(then(when(open, council('a'), 'approve', last))).toEqual(['ACTION_VOTE']);
    expect(refusal(() => when(open, council('a'), 'approve', { now: NOW + 24 * HOUR }))).toBe(
      'CONFLICT: the vote is late: the window closed at 2026-01-02T00:00:00.000Z',
    );
  });

  it('is rejected at the end of the window where the quorum is missing, and only then, once', () => {
    const two = given(...voted([['a', 'approve'], ['b', 'approve']])); // prettier-ignore
    expect(decideClose(two, NOW + 24 * HOUR - 1)).toEqual([]);
    const [closing] = decideClose(two, NOW + 24 * HOUR);
    expect(closing).toMatchObject({
      type: 'ACTION_REJECTED',
      data: { reason: 'no_quorum', tally: { approve: 2, reject: 0, abstain: 0 } },
    });
    expect(decideClose(evolveRequest(two, { ...closing!, metadata: { event_id: 'x' } }), NOW + 99 * HOUR)).toEqual([]);
  });

  it('is not approved by one admin', () => {
    expect(refusal(() => decideApprove(open, { voter: admin('ada'), proposal_digest: DIGEST, now: NOW }))).toBe(
      'CONFLICT: sem_put is decided by the council: its members vote',
    );
  });
});

describe('a request that one admin decides', () => {
  const open = given(requested(LOW));
  const approve = (voter: Voter, digest = DIGEST, state = open) =>
    decideApprove(state, { voter, proposal_digest: digest, now: NOW });

  it('is approved by an admin who did not ask for it', () => {
    const events = approve(admin('ada'));
    expect(then(events)).toEqual(['ACTION_VOTE', 'ACTION_APPROVED']);
    expect(events[1]!.data).toMatchObject({ approval_type: 'admin_single', approved_by: ['ada'] });
    expect(refusal(() => approve(admin('user_solver')))).toBe('PERMISSION_DENIED: nobody votes on their own request');
    expect(refusal(() => approve(council('anna')))).toBe('PERMISSION_DENIED: maintenance is decided by an admin');
    expect(refusal(() => approve(admin('ada'), 'f'.repeat(64)))).toMatch(/^CONFLICT: proposal_digest/);
  });

  it('is rejected by an admin’s vote', () => {
    const events = when(open, admin('ada'), 'reject');
    expect(events[1]).toMatchObject({ type: 'ACTION_REJECTED', data: { reason: 'admin' } });
    expect(refusal(() => when(open, admin('ada'), 'abstain'))).toMatch(/^INVALID_INPUT/);
  });

  it('expires where nobody decides in time', () => {
    expect(then(decideClose(open, NOW + 24 * HOUR))).toEqual(['ACTION_EXPIRED']);
  });
});

describe('an emergency', () => {
  const open = given(requested());
  const sign = (state: RequestState, voter: Voter, now = NOW) =>
    decideSignature(state, { voter, proposal_digest: DIGEST, reason: 'fire', now });
  const begun = [requested(), ...sign(open, superadmin('root'))];

  it.each(['force_halt_clear', 'force_continue', 'production_replay'])(
    'does not stand in for the council where %s takes the council’s own word',
    (action) => {
      for (const voter of [superadmin('root'), admin('ada')]) {
        expect(refusal(() => sign(given(requested({ action })), voter))).toBe(
          `CONFLICT: ${action} takes the council’s own word, and no emergency stands in for it: its members vote`,
        );
      }
    },
  );

  it('takes a superadmin and another admin, in either order', () => {
    expect(then(sign(open, superadmin('root')))).toEqual(['EMERGENCY_SIGNED']);
    const events = sign(given(...begun), admin('ada'));
    expect(then(events)).toEqual(['EMERGENCY_SIGNED', 'EMERGENCY_OVERRIDE', 'ACTION_APPROVED']);
    expect(events[1]!.data).toMatchObject({
      signatures: [
        { signer: 'root', role: 'superadmin' },
        { signer: 'ada', role: 'admin' },
      ],
      review_due_at: '2026-01-02T00:00:00.000Z',
    });
    expect(events[2]!.data).toMatchObject({ approval_type: 'emergency', approved_by: ['ada', 'root'] });
    const byAdmin = given(requested(), ...sign(open, admin('ada')));
    expect(then(sign(byAdmin, superadmin('root')))).toEqual([
      'EMERGENCY_SIGNED',
      'EMERGENCY_OVERRIDE',
      'ACTION_APPROVED',
    ]);
  });

  it('is never one person’s, nor two admins’', () => {
    expect(refusal(() => sign(given(...begun), superadmin('root')))).toBe(
      'CONFLICT: you have signed already; an emergency takes two people',
    );
    const byAdmin = given(requested(), ...sign(open, admin('ada')));
    expect(refusal(() => sign(byAdmin, admin('bob')))).toMatch(/^PERMISSION_DENIED/);
    expect(refusal(() => sign(open, council('anna')))).toMatch(/^PERMISSION_DENIED/);
  });

  it('is reviewed by the council, without those who signed', () => {
    const done = [...begun, ...sign(given(...begun), admin('ada'))];
    const review = (voter: Voter, vote: Ballot, events = done) => when(given(...events), voter, vote);
    expect(refusal(() => review({ ...council('ada'), isAdmin: true }, 'approve'))).toMatch(
      /^PERMISSION_DENIED: nobody reviews/,
    );
    const one = [...done, ...review(council('a'), 'reject')];
    const two = [...one, ...review(council('b'), 'reject', one)];
    expect(review(council('c'), 'approve', two)[1]).toMatchObject({
      type: 'EMERGENCY_REVIEWED',
      data: { outcome: 'disapproved', tally: { approve: 1, reject: 2, abstain: 0 } },
    });
  });

  it('whose review nobody finishes in time is overdue', () => {
    const done = given(...begun, ...sign(given(...begun), admin('ada')));
    expect(decideClose(done, NOW + 24 * HOUR - 1)).toEqual([]);
    expect(decideClose(done, NOW + 24 * HOUR)[0]).toMatchObject({
      type: 'EMERGENCY_REVIEWED',
      data: { outcome: 'overdue' },
    });
  });
});

describe('whatever the votes', () => {
  const ballots = fc.array(fc.tuple(fc.constantFrom(...'abcdefgh'), fc.constantFrom(...BALLOTS)), { maxLength: 20 });
  const quorum = fc.integer({ min: 1, max: 6 });
  const decisions = (events: readonly DomainEvent[]) =>
    events.filter(({ type }) => type === 'ACTION_APPROVED' || type === 'ACTION_REJECTED');

  it('there is at most one decision, and none is missing once the quorum is there', () => {
    fc.assert(
      fc.property(ballots, quorum, (cast, council_quorum) => {
        const terms = requested({ council_quorum });
        const events = voted(cast, terms);
        const { approve, reject } = tallyOf(given(...events).votes);
        expect(decisions(events)).toHaveLength(approve + reject >= council_quorum ? 1 : 0);
        expect(approve + reject).toBeLessThanOrEqual(council_quorum);
      }),
    );
  });

  it('abstentions may stand anywhere among them: they change no decision', () => {
    fc.assert(
      fc.property(ballots, fc.array(fc.nat({ max: 20 })), quorum, (cast, places, council_quorum) => {
        const terms = requested({ council_quorum });
        const counted = cast.filter(([, ballot]) => ballot !== 'abstain');
        const mixed: [string, Ballot][] = [...counted];
        places.forEach((place, i) => mixed.splice(place % (mixed.length + 1), 0, [`abstainer${i}`, 'abstain']));
        const plain = decisions(voted(counted, terms));
        const withAbstentions = decisions(voted(mixed, terms));
        expect(then(withAbstentions)).toEqual(then(plain));
      }),
    );
  });

  it('the quorum is monotone: a further vote never takes a decision back', () => {
    const tally = fc.record({ approve: fc.nat(10), reject: fc.nat(10), abstain: fc.nat(10) });
    fc.assert(
      fc.property(tally, quorum, fc.constantFrom(...BALLOTS), (votes, council_quorum, further) => {
        const before = rulingOf(votes, council_quorum);
        const after = rulingOf({ ...votes, [further]: votes[further] + 1 }, council_quorum);
        if (before !== null) expect(after).not.toBeNull();
        if (further === 'abstain') expect(after).toBe(before);
        if (before === 'approve' && further === 'approve') expect(after).toBe('approve');
        if (before === 'reject' && further === 'reject') expect(after).toBe('reject');
      }),
    );
  });
});
