import type { Json } from '#lib/kernel';

import type { AgentEvidence, AgentReply, ClaimToCheck } from './agent.js';
import { FIRST_TURN, granted } from './testing/granted.js';
import { VerificationAgent } from './verification-agent.js';

const KEY = 'user/profile/user_tuff/favorite_color';
const piece = (revision: number, value: Json, key = KEY): AgentEvidence => ({
  key,
  revision,
  value,
  timestamp: '2026-01-01T00:00:00.000Z',
});

/** What the agent says of an answer, where memory holds these pieces by now. */
function check(
  query_text: string,
  claim: Partial<ClaimToCheck>,
  memory: readonly AgentEvidence[] = [],
): Promise<AgentReply> {
  const candidate = { agent_id: 'profile_agent', text: '', evidence: [], ...claim };
  return ask(query_text, candidate, memory);
}

function ask(query_text: string, candidate?: ClaimToCheck, memory: readonly AgentEvidence[] = []): Promise<AgentReply> {
  const effects = granted({ read: async (key) => memory.find((one) => one.key === key) ?? null });
  const turn = { turn: FIRST_TURN, user_id: 'user_tuff', depth: 1, token_budget: 512, suggested_changes: [] };
  const { signal } = new AbortController();
  return new VerificationAgent().answer({ query_text, ...turn, ...(candidate ? { candidate } : {}), effects, signal });
}

describe('an answer that the critics could not agree on', () => {
  const claim = { text: 'Your favorite color is blue.', evidence: [piece(3, 'blue')] };
  const QUESTION = 'What is my favorite color?';

  it('is confirmed as it stands where it comes out the same again', async () => {
    expect(await check('What is 12.5% of 80?', { text: '12.5% of 80 = 10.' })).toMatchObject({
      kind: 'answer',
      text: '12.5% of 80 = 10.',
      confidence: 1,
      evidence: [],
      memory_write: null,
      reasoning_trace: [expect.stringMatching(/^computed it again: /)],
    });
  });

  it('is not where it comes out otherwise, whatever it relies on', async () => {
    expect(await check('What is 2 + 2?', { text: '2 + 2 = 5.', evidence: [piece(1, 5)] }, [piece(1, 5)])).toEqual({
      kind: 'declined',
      reason: expect.stringMatching(/^computed again, it does not hold: /) as string,
    });
  });

  it.each<[string, AgentEvidence]>([
    ['as it was', piece(3, 'blue')],
    // It stands for the time of its evidence.
    ['a later value', piece(4, 'green')],
  ])('is confirmed with its evidence where memory holds %s', async (_, now) => {
    expect(await check(QUESTION, claim, [now])).toEqual({
      kind: 'answer',
      text: claim.text,
      confidence: 1,
      reasoning_trace: [`read ${KEY} again`],
      evidence: claim.evidence,
      memory_write: null,
    });
  });

  it.each<[string, readonly AgentEvidence[], readonly AgentEvidence[]]>([
    ['nothing', claim.evidence, []],
    ['an earlier value only', claim.evidence, [piece(2, 'blue')]],
    ['something else at that very revision', claim.evidence, [piece(3, 'green')]],
    ['one piece of two', [...claim.evidence, piece(1, 'x', 'world/fact/pi/value')], [piece(3, 'blue')]],
  ])('is not where memory holds %s', async (_, evidence, memory) => {
    expect(await check(QUESTION, { text: claim.text, evidence }, memory)).toEqual({
      kind: 'declined',
      reason: 'memory no longer holds what the answer relies on',
    });
  });

  it('is not where there is nothing to look at again', async () => {
    expect(await check('Write a poem', { text: 'Rain, rain.' })).toEqual({
      kind: 'declined',
      reason: 'there is nothing to compute and nothing to read again',
    });
  });
});

describe('a claim that somebody wants to have checked', () => {
  it.each([
    ['Verify that 12.5% of 80 is 10', 'Yes, 12.5% of 80 is 10.'],
    ['verify that 2 + 2 = 5', 'No, 2 + 2 is not 5.'],
    ['Is it true that 7 > 8?', 'No, 7 is not greater than 8.'],
  ])('%s: %s', async (query, text) => {
    expect(await ask(query)).toMatchObject({ kind: 'answer', text, confidence: 1, evidence: [], memory_write: null });
  });

  it.each([
    ['Verify that the moon is cheese', /^this claim cannot be computed: /],
    ['Verify everything', /^only "verify that ... is ..." about a calculation/],
  ])('%s: is declined', async (query, reason) => {
    expect(await ask(query)).toEqual({ kind: 'declined', reason: expect.stringMatching(reason) as string });
  });
});
