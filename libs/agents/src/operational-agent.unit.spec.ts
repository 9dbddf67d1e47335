import { AliasMap } from '#lib/memory';
import { classifyQuery } from '#lib/routing';

import type { AgentEvidence, AgentRequest } from './agent.js';
import { OperationalAgent } from './operational-agent.js';
import type { TurnEffects } from './effects.js';
import { ProfileAgent, verbFor } from './profile-agent.js';
import { FIRST_TURN, granted } from './testing/granted.js';

const ALIASES = new AliasMap([]);
const PROFILE = 'user/profile/user_tuff';

describe('an explicit wish to remember', () => {
  it.each([
    'Can you remember that my birthday is 5 May?',
    'Would you please save that my birthday is 5 May?',
    'I want you to remember that my birthday is 5 May',
    "Don't forget that my birthday is 5 May",
    'Don’t forget that my birthday is 5 May',
  ])('%j comes here, and is stored under its key', async (query_text) => {
    expect(classifyQuery({ query_text, has_user: true }).intent_tags[0]).toBe('command');
    expect(await new OperationalAgent(ALIASES).answer(request(query_text))).toMatchObject({
      text: 'I’ll remember that your birthday is 5 May.',
      memory_write: { key: `${PROFILE}/birthday`, value: '5 May' },
    });
  });

  it.each(['remember that my 颜色 is 红', 'remember that my favorite 颜色 is 红', 'remember that my 颜色 name is 红'])(
    '%j is declined: a key cannot hold its name',
    async (query_text) => {
      expect(await new OperationalAgent(ALIASES).answer(request(query_text))).toMatchObject({ kind: 'declined' });
    },
  );

  it.each(["dog's name", 'dog’s name'])('and the answer to it say "%s" as it was said', async (name) => {
    const said = await new OperationalAgent(ALIASES).answer(request(`Remember that my ${name} is Rex`));
    expect(said).toMatchObject({ text: `I’ll remember that your ${name} is Rex.` });
    const { key, value } = (said as { memory_write: { key: string; value: string } }).memory_write;
    const effects = granted({ read: async (at) => (at === key ? evidence(key, value) : null) });
    const profile = new ProfileAgent(ALIASES);
    expect(await profile.answer(request(`What's my ${name}?`, effects))).toMatchObject({
      text: `Your ${name} is Rex.`,
    });
  });
});

describe('a wish that is not carried out', () => {
  it.each([
    ['remember that my password is hunter2', /^I do not remember passwords/],
    ['remember my name is Ana and my age is 30', /^I remember one fact at a time/],
    ['remember my car is blue?', /^That reads as a question/],
  ])('%j is told why, stores nothing and repeats nothing of it', async (query_text, told) => {
    const said = await new OperationalAgent(ALIASES).answer(request(query_text));
    expect(said).toMatchObject({ kind: 'answer', text: expect.stringMatching(told) as string, memory_write: null });
    expect(JSON.stringify(said)).not.toMatch(/hunter2|Ana/);
  });

  it.each(['set my alarm to 7:30', 'set my volume to 11', 'remind me to buy milk'])(
    '%j is declined: nothing here can do it',
    async (query_text) => {
      expect(await new OperationalAgent(ALIASES).answer(request(query_text))).toMatchObject({ kind: 'declined' });
    },
  );
});

describe('a question about a profile', () => {
  it.each([
    ["what's on my schedule today", 'schedule'],
    ['do you know what my job is', 'job'],
    ['what did I tell you about my boss?', 'boss'],
    ['what is my dog called', 'dog'],
  ])('%j looks for %s', async (question, attribute) => {
    expect(await new ProfileAgent(ALIASES).answer(request(question))).toEqual({
      kind: 'miss',
      key: `${PROFILE}/${attribute}`,
    });
  });

  it('for a credential is told that none is kept, not that one could be', async () => {
    const said = await new ProfileAgent(ALIASES).answer(request('what is my bank PIN?'));
    expect(said).toMatchObject({ kind: 'answer', text: expect.stringMatching(/^I do not remember/) as string });
  });

  it.each([
    ['favorite colors', 'are'],
    ['children', 'are'],
    ['favorite color', 'is'],
    ['address', 'is'],
    ['status', 'is'],
    ["sister's", 'is'],
  ])('says that your %s %s', (words, verb) => {
    expect(verbFor(words)).toBe(verb);
  });

  it('whose name no key can hold is declined, and never a miss of something else', async () => {
    const profile = new ProfileAgent(ALIASES);
    for (const query of ['What is my 颜色?', 'What is my favorite 颜色?'])
      expect(await profile.answer(request(query))).toMatchObject({ kind: 'declined' });
    expect(await profile.answer(request('What is my favourite café?'))).toMatchObject({ kind: 'miss' });
  });
});

function evidence(key: string, value: string): AgentEvidence {
  return { key, value, revision: 0, timestamp: '2026-01-01T00:00:00.000Z' };
}

function request(query_text: string, effects: TurnEffects = granted()): AgentRequest {
  const { signal } = new AbortController();
  const asked = { query_text, user_id: 'user_tuff', depth: 1, token_budget: 512, suggested_changes: [] };
  return { ...asked, turn: FIRST_TURN, effects, signal };
}
