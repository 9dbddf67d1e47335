import fc from 'fast-check';

import { type CouncilVote, decideCouncil, finalConfidence } from './vote.js';

const T = { credential_threshold: 0.6 };

function vote(approve: boolean, score: number | readonly [number, number, number] = 1, name = 'c'): CouncilVote {
  const [factuality, coherence, safety] = typeof score === 'number' ? [score, score, score] : score;
  const scores = { factuality, coherence, safety };
  return { council_agent_id: name, scores, approve, suggested_changes: '', note: '', confidence: 1 };
}

describe('a council’s decision', () => {
  it.each<[string, readonly CouncilVote[], string, number]>([
    ['all for it', [vote(true), vote(true), vote(true)], 'approved', 1],
    ['two for it, one against', [vote(true, 0.9), vote(true, 0.9), vote(false, 0.3)], 'approved', 0.7],
    ['a score exactly at the threshold', [vote(true, 0.6)], 'approved', 0.6],
    ['a score that misses the threshold by less than epsilon', [vote(true, 0.6 - 1e-10)], 'approved', 0.6],
    ['a score under the threshold, none against', [vote(true, 0.59)], 'deadlock', 0.59],
    ['one for it, one against', [vote(true), vote(false, 0)], 'deadlock', 0.5],
    ['one for it, two against, however good the scores', [vote(true), vote(false), vote(false)], 'rejected', 1],
    ['nobody', [], 'deadlock', 0],
  ])('with %s is as the rules say', (_, votes, outcome, council_score) => {
    expect(decideCouncil(votes, T)).toMatchObject({ outcome, council_score });
  });

  it('takes the mean of each vote’s three scores, to 9 decimals', () => {
    const votes = [vote(true, [0.92, 0.88, 0.99]), vote(true, [1, 0.4, 1]), vote(true, [0.7, 1, 1])];
    expect(decideCouncil(votes, T).council_score).toBe(0.876666667);
  });

  it('weighs votes by the critic who cast them, 1 where nothing is said', () => {
    const votes = [vote(true, 1, 'heavy'), vote(false, 0, 'a'), vote(false, 0, 'b')];
    expect(decideCouncil(votes, T)).toMatchObject({ outcome: 'rejected', approvals: 1, rejections: 2 });
    expect(decideCouncil(votes, T, { heavy: 4 })).toEqual({
      outcome: 'approved',
      council_score: 0.666666667,
      approvals: 4,
      rejections: 2,
    });
    expect(decideCouncil(votes, T, { heavy: 2 }).outcome).toBe('deadlock');
  });

  it('is the same in whatever order the votes came, and never approved by fewer than rejected it', () => {
    const votes = fc.array(
      fc
        .record({ approve: fc.boolean(), score: fc.integer({ min: 0, max: 100 }).map((n) => n / 100) })
        .map((v) => vote(v.approve, v.score)),
      { maxLength: 9 },
    );
    fc.assert(
      fc.property(votes, (cast) => {
        const decision = decideCouncil(cast, T);
        expect(decideCouncil([...cast].reverse(), T)).toEqual(decision);
        expect(decision.outcome === 'approved').toBe(
          decision.approvals > decision.rejections && decision.council_score >= T.credential_threshold,
        );
        expect(decision.outcome === 'rejected').toBe(decision.rejections > decision.approvals);
      }),
    );
  });

  it('never turns from approved when one more critic approves with a full score', () => {
    const votes = fc.array(fc.tuple(fc.boolean(), fc.integer({ min: 0, max: 10 })), { maxLength: 7 });
    fc.assert(
      fc.property(votes, (cast) => {
        const before = cast.map(([approve, tenths]) => vote(approve, tenths / 10));
        if (decideCouncil(before, T).outcome !== 'approved') return;
        expect(decideCouncil([...before, vote(true)], T).outcome).toBe('approved');
      }),
    );
  });
});

it.each([
  [1, 1, 1],
  [1, 0.6, 0.8],
  [0.5, 0.876666667, 0.688333333],
  [7, 1, 1],
  [-1, 1, 0.5],
])('an agent’s confidence %d and a council’s score %d make %d', (agent, council, final) => {
  expect(finalConfidence(agent, council)).toBe(final);
});
