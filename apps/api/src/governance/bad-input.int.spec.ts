import { EventLog } from '#lib/event-store';
import type { JsonObject } from '#lib/kernel';
import type { RequestView } from '#lib/governance';

import { until } from '../../../../test/support/eventually.js';
import { type Caller, JobApp } from '../../../../test/support/job-app.js';

/** What governance, modules and trust refuse, each with its code and in its words, over HTTP. */

type Body = Readonly<Record<string, unknown>>;

let app: JobApp;
let solver: Caller;
let ada: Caller;
let oscar: Caller;
let both: Caller;
let council: Record<string, Caller>;

beforeAll(async () => {
  app = await JobApp.open();
  solver = await app.caller('solver', ['agent']);
  ada = await app.caller('ada', ['admin'], ['otp']);
  oscar = await app.caller('oscar', ['operator']);
  both = await app.caller('both', ['admin', 'council', 'operator'], ['otp']);
  const names = ['anna', 'ben', 'cara', 'dan', 'eve'];
  const callers = await Promise.all(names.map((name) => app.caller(name, ['council'], ['otp'])));
  council = Object.fromEntries(names.map((name, i) => [name, callers[i]!]));
});
afterAll(() => app.dispose());

async function ask(kind = 'sem_put', payload: JsonObject = { key: 'world/a/b/c', value: 'x' }, by = solver) {
  const body = { kind, payload: { action: kind, ...payload }, justification: 'tried in a test' };
  return by.send<RequestView & Body>('POST', '/actionrequest/create', body);
}
const vote = ({ request_id: id, proposal_digest }: RequestView, who: string, ballot = 'approve') =>
  council[who]!.send<Body>('POST', `/actionrequest/${id}/vote`, { vote: ballot, proposal_digest });
const propose = (policy: string, change: JsonObject) =>
  ada.send<Body>('POST', '/governance/policy/propose', { policy, change, justification: 'tried in a test' });
const register = (node_id: string, more: object = {}) =>
  ada.send<Body>('POST', '/module/register', { node_id, type: 'tool', display_name: 'x', version: '1', ...more });
/** A body as its text, for numbers that JSON.stringify would not write. */
const apt = (text: string, by = both) => by.send<Body>('POST', '/apt/event', text);

function told({ status, body }: { readonly status: number; readonly body: Body }): string {
  return `${status} ${String(body['error_code'])}: ${String(body['developer_message'])}`;
}

describe('a vote is refused', () => {
  it('of somebody without the role, and of a member whom the council in force does not name', async () => {
    const { body: open } = await ask();
    const { request_id, proposal_digest } = open;
    const stranger = { vote: 'approve', proposal_digest };
    expect(told(await oscar.send<Body>('POST', `/actionrequest/${request_id}/vote`, stranger))).toBe(
      '403 PERMISSION_DENIED: actionrequest.vote is for council, admin',
    );
    const members = { council_members: ['user_anna', 'user_ben', 'user_cara', 'user_eve'] };
    expect(told(await propose('governance', members))).toMatch(
      /^400 INVALID_INPUT: change: refused, it would lock everybody out: .* registered are 0, and nobody is as user_anna, /,
    );
    // Whoever was seen once is registered.
    for (const caller of Object.values(council)) await caller.get('/actionrequest?limit=1');
    const { body: change } = await propose('governance', members);
    for (const who of ['anna', 'ben', 'cara']) await vote(change as unknown as RequestView, who);
    await until(async () => {
      const { body } = await ada.get<Body>(`/actionrequest/${String(change['request_id'])}`);
      return body['status'] === 'executed';
    });
    const { body: later } = await ask();
    expect(told(await vote(later, 'dan'))).toBe(
      '403 PERMISSION_DENIED: you are not among the members of the council that decide this',
    );
    // What was asked before is decided by the council of then.
    expect((await vote(open, 'dan')).status).toBe(200);
  });

  it('a second time, on a request that is closed, and on one’s own', async () => {
    const { body: request } = await ask();
    await vote(request, 'anna', 'reject');
    expect(told(await vote(request, 'anna'))).toBe('409 CONFLICT: you have voted already; the first vote stands');
    await vote(request, 'ben', 'reject');
    await vote(request, 'cara', 'reject');
    const { body: own } = await ask('sem_put', { key: 'world/a/b/c', value: 'y' }, council['anna']);
    expect(told(await vote(own, 'anna'))).toBe('403 PERMISSION_DENIED: nobody votes on their own request');
    expect(told(await vote(request, 'eve'))).toBe('409 CONFLICT: the request is rejected; it takes no votes any more');
  });

  it('on another proposal, on no request, and of another kind', async () => {
    const { body: request } = await ask();
    expect(told(await vote({ ...request, proposal_digest: '0'.repeat(64) }, 'anna'))).toBe(
      '409 CONFLICT: proposal_digest: not the digest of this request’s proposal; read the request again',
    );
    const none = `ar-${'0'.repeat(32)}`;
    expect(told(await vote({ ...request, request_id: none }, 'anna'))).toBe(
      `404 NOT_FOUND: no request ${none} of yours`,
    );
    expect(told(await vote(request, 'anna', 'maybe'))).toBe(
      '400 INVALID_INPUT: body.vote: one of approve, reject, abstain',
    );
  });
});

describe('trust is refused', () => {
  const override = (apt: string) =>
    `{"node_id":"agent:math_v1","event_type":"MANUAL_OVERRIDE","payload":{"new_apt":${apt},"reason":"x"}}`;
  const FORM = '400 INVALID_INPUT: payload.new_apt: a number from 0 to 1 with at most 9 decimals';

  it.each(['1e999', '-1e999', '1.5', '-0.1', '0.1234567891', 'null', '"NaN"', 'true', '[]'])('as %s', async (value) => {
    expect(told(await apt(override(value)))).toMatch(
      /^400 INVALID_INPUT: (payload\.new_apt: a number from 0 to 1 |body)/,
    );
    const request = `{"kind":"trust_override","payload":{"node_id":"agent:math_v1","new_apt":${value},"reason":"x"},"justification":"x"}`;
    const asked = await ada.send<Body>('POST', '/actionrequest/create', request);
    expect(told(asked)).toMatch(/^400 INVALID_INPUT: (payload\.new_apt: a (finite )?number|body)/);
  });

  it('as a number that is none in JSON', async () => {
    for (const value of ['NaN', 'Infinity', '-Infinity']) {
      expect(told(await apt(override(value)))).toMatch(/^400 INVALID_INPUT: body: /);
    }
    expect(told(await apt(override('2')))).toBe(FORM);
  });

  it('with an event of a type that is none, of a module that is none, or from whoever may not', async () => {
    const types =
      'COUNCIL_APPROVAL, GROUND_TRUTH_LABEL, AGENT_TIMEOUT, AGENT_EXCEPTION, AGENT_SUCCESS, MANUAL_OVERRIDE, OPERATIONAL_NOTE, USER_FEEDBACK';
    for (const type of ['PRAISE', '', 'constructor', 'agent_success']) {
      const refused = await apt(JSON.stringify({ node_id: 'agent:math_v1', event_type: type, payload: {} }));
      expect(told(refused)).toMatch(/^400 INVALID_INPUT: body\.event_type: one of /);
      for (const name of types.split(', ')) expect(told(refused)).toContain(name);
    }
    const success = (node_id: string) => JSON.stringify({ node_id, event_type: 'AGENT_SUCCESS', payload: {} });
    expect(told(await apt(success('agent:nobody')))).toBe('404 NOT_FOUND: no module agent:nobody is registered');
    expect(told(await apt(success('nobody')))).toMatch(/^400 INVALID_INPUT: node_id: \^/);
    expect(told(await apt(success('agent:math_v1'), solver))).toBe(
      '403 PERMISSION_DENIED: AGENT_SUCCESS is for agent, operator; an agent posts of its own module',
    );
  });

  it.each([
    ['goals of infinite priority', '{"job_seed":"x","goals":[{"type":"plan","priority":1e999}]}'],
    ['infinite attention', '{"job_seed":"x","attention":{"attention_gain":1e999}}'],
    ['a budget without end', '{"job_seed":"x","resource_budget":{"token_budget":1e999}}'],
  ])('and so is a BrainState with %s', async (_, text) => {
    expect(told(await both.send<Body>('POST', '/brainstate/create_snapshot', text))).toMatch(
      /^400 INVALID_INPUT: body/,
    );
  });
});

describe('a module is refused', () => {
  it('whose dependencies lead back to it, over any number of steps, also where the council is asked', async () => {
    const needs = (to: string) => ({ dependencies: [{ to, required: true }] });
    expect(told(await register('tool:self', needs('tool:self')))).toBe(
      '400 INVALID_INPUT: dependencies: a cycle, tool:self -> tool:self',
    );
    expect((await register('tool:one', needs('tool:two'))).status).toBe(200);
    expect((await register('tool:two', needs('tool:three'))).status).toBe(200);
    const cycle = '400 INVALID_INPUT: dependencies: a cycle, tool:three -> tool:one -> tool:two -> tool:three';
    expect(told(await register('tool:three', needs('tool:one')))).toBe(cycle);
    const writing = { policy: { allowed_actions: ['sem.write'], forbidden_actions: [] } };
    expect(told(await register('tool:three', { ...needs('tool:one'), ...writing }))).toBe(cycle);
    const module = { node_id: 'tool:three', type: 'tool', display_name: 'x', version: '1', ...needs('tool:one') };
    expect(told(await ask('module_register', { module }, ada))).toBe(cycle);
  });

  const MODULE = { node_id: 'tool:fresh', type: 'tool', display_name: 'x', version: '1' };
  it.each<[string, JsonObject, string]>([
    ['no name', { display_name: null }, 'payload.module.display_name: a text'],
    ['a name that is no text', { display_name: 5 }, 'payload.module.display_name: a text'],
    ['capabilities that are no list', { capabilities: 'math' }, 'payload.module.capabilities: a list of texts'],
    ['dependencies that are no list', { dependencies: {} }, 'payload.module.dependencies: a list of {to, required}'],
    [
      'half a dependency',
      { dependencies: [{ to: 'tool:x' }] },
      'payload.module.dependencies: a list of {to, required}',
    ],
    [
      'half a policy',
      { policy: {} },
      'payload.module.policy: {allowed_actions, forbidden_actions}, both lists of texts',
    ],
    ['trust of its own', { apt: 1 }, 'payload.module.apt: unknown; there are node_id, type, '],
    ['another type than its name', { type: 'agent' }, 'type: what stands before the colon of node_id, one of '],
  ])('asked for with %s', async (_, change, words) => {
    const refused = await ask('module_register', { module: { ...MODULE, ...change } }, ada);
    expect(told(refused)).toContain(`400 INVALID_INPUT: ${words}`);
  });

  it('a policy that is none', async () => {
    const asked = await ask('module_policy', { node_id: 'agent:math_v1', policy: { allowed_actions: 'all' } }, ada);
    expect(told(asked)).toBe(
      '400 INVALID_INPUT: payload.policy: {allowed_actions, forbidden_actions}, both lists of texts',
    );
  });
});

describe('an action that could do nothing is refused before anybody votes on it', () => {
  const NO_JOB = `job:${'0'.repeat(32)}`;
  it.each<[string, JsonObject, string]>([
    [
      'module_release',
      { node_id: 'agent:math_v1' },
      '409 CONFLICT: agent:math_v1 is degraded; only a quarantined module can be released',
    ],
    [
      'module_policy',
      { node_id: 'agent:math_v1', policy: { allowed_actions: ['compute'], forbidden_actions: [] } },
      '409 CONFLICT: the policy of agent:math_v1 says this already',
    ],
    [
      'module_policy',
      { node_id: 'agent:math_v1', policy: {} },
      '400 INVALID_INPUT: payload.policy: {allowed_actions, forbidden_actions}, both lists of texts',
    ],
    [
      'trust_override',
      { node_id: 'agent:math_v1', new_apt: 2, reason: 'x' },
      '400 INVALID_INPUT: payload.new_apt: a number from 0 to 1 with at most 9 decimals',
    ],
    ['human_review', { job_id: NO_JOB, reason_type: 'doubt' }, `404 NOT_FOUND: payload.job_id: no job ${NO_JOB}`],
    [
      'human_review',
      { reason_type: 'doubt' },
      '400 INVALID_INPUT: payload: job_id or artifact_id, which says what is to be reviewed',
    ],
  ])('%s %j', async (kind, payload, why) => {
    expect(told(await ask(kind, payload, ada))).toBe(why);
  });

  it('and fails with the reason where another request did it meanwhile', async () => {
    const quarantine = { node_id: 'agent:strategy_v1' };
    const asked = [
      (await ask('module_quarantine', quarantine, ada)).body,
      (await ask('module_quarantine', quarantine, ada)).body,
    ];
    for (const request of asked) for (const who of ['anna', 'ben', 'cara']) await vote(request, who);
    const outcomes = new Set<string>();
    await until(async () => {
      for (const { request_id } of asked) {
        const { body } = await ada.get<Body>(`/actionrequest/${request_id}`);
        const done = body['execution'] as { error_code?: string; reason?: string } | null;
        if (done) outcomes.add(done.error_code ? `${done.error_code}: ${done.reason}` : 'done');
      }
      return outcomes.size === asked.length;
    });
    expect([...outcomes].sort()).toEqual(['CONFLICT: agent:strategy_v1 is quarantined already', 'done']);
  });
});

describe('a policy', () => {
  it.each<[string, JsonObject, string]>([
    [
      'governance',
      { council_members: ['user_anna'] },
      'council_quorum 3 could never be met by 1 council_members: nobody could decide anything',
    ],
    ['router', { min_score: 1.5 }, 'no module scores over 1: nobody would be answered'],
    ['router', { min_availability: 2 }, 'no availability is over 1: nobody would be answered'],
    [
      'router',
      { status_factors: { healthy: 0, degraded: 0 } },
      'min_availability 0.15 is over every status factor: nobody would be answered',
    ],
    [
      'router',
      { weights: { availability: 0, goal_priority: 0, exploration: 0 } },
      'min_score 0.2 is over what the weights can give: nobody would be answered',
    ],
    [
      'router',
      {
        stage0: Object.fromEntries(
          ['privacy', 'profile', 'math', 'fact', 'command', 'creative', 'strategy', 'search', 'generic'].map((rule) => [
            `enable_${rule}`,
            false,
          ]),
        ),
      },
      'with every rule of stage 0 off nobody would be answered',
    ],
    [
      'governance',
      { council_members: ['user_anna', 'user_ben', 'user_cara'] },
      'council_quorum 3 could never be met on a request of one of the 3 council_members, who has no vote on it: name more of them, or lower council_quorum',
    ],
    [
      'governance',
      { council_members: ['user_x', 'user_y', 'user_z', 'user_w'] },
      'council_quorum 3 takes more than 3 registered council_members, since nobody votes on their own request; registered are 0, and nobody is as user_x, user_y, user_z, user_w',
    ],
    ['router', { min_score: 0.95 }, 'min_score 0.95 is over what the weights can give: nobody would be answered'],
    [
      'router',
      { min_score: 0.5 },
      'no built-in agent as it begins (trust 0.7, degraded) could be selected for command, creative, fact, math, profile, search, strategy, verification: lower min_score or min_availability, or raise weights and status factors',
    ],
    [
      'safety',
      { refused_phrases: ['your'] },
      'the answer "Your favorite color is blue." would be refused: a rule of the safety policy refuses this text',
    ],
    [
      'governance',
      { answer_council: { critics: [{ critic_id: 'council_saftey_v1', weight: 1 }] } },
      'answer_council asks "council_saftey_v1", which nobody here votes as: no answer could be approved',
    ],
    [
      'selfrep',
      { decay: 1 },
      'an agent whose every answer is approved would come to trust 0.1 and not be selected for command, creative, fact, general, math, profile, search, strategy, verification: lower decay or raise approval_gain',
    ],
    ['safety', { refused_phrases: [''] }, 'an empty refused phrase is part of every answer: nobody would be answered'],
  ])(
    '%s that would lock everybody out by %j is refused with the reason, on both ways to ask',
    async (policy, change, why) => {
      const refusal = `400 INVALID_INPUT: change: refused, it would lock everybody out: ${why}`;
      expect(told(await propose(policy, change))).toBe(refusal);
      expect(told(await ask('policy_change', { policy, change }, ada))).toBe(refusal);
    },
  );

  it.each<[string, JsonObject, string]>([
    ['governance', { max_query_length: 1 }, '/max_query_length: a whole number from 20 to 100000.'],
    ['governance', { agent_timeout_ms: 1 }, '/agent_timeout_ms: a whole number from 100 to 600000.'],
    ['governance', { max_replay_ms: 1 }, '/max_replay_ms: a whole number from 1000 to 86400000.'],
    ['safety', { max_answer_length: 1 }, '/max_answer_length: a whole number from 40 to 16000.'],
    ['safety', { refused_phrases: ['e'] }, '/refused_phrases/0: a text. A phrase has 3 to 256 characters: '],
    ['safety', { refused_phrases: ['.'] }, '/refused_phrases/0: a text. A phrase has 3 to 256 characters: '],
  ])(
    '%s under which nothing useful would be left by %j is refused with the allowed form',
    async (policy, change, why) => {
      expect(told(await propose(policy, change))).toContain(`400 INVALID_INPUT: change: ${why}`);
    },
  );

  it('is refused where there is none, where it says nothing new, out of range, and on another base', async () => {
    expect(told(await propose('laws', {}))).toMatch(
      /^400 INVALID_INPUT: policy: one of governance, router, brainstate, selfrep, safety/,
    );
    expect(told(await propose('router', { top_n: 10 }))).toBe(
      '400 INVALID_INPUT: change: policy router says this already',
    );
    expect(told(await propose('router', { top_n: 0 }))).toBe(
      '400 INVALID_INPUT: change: /top_n: a whole number from 1 to 1000. Candidates that are scored at most.',
    );
    const base = { policy: 'router', change: { top_n: 9 }, base_snapshot_id: '0'.repeat(64) };
    expect(told(await ask('policy_change', base, ada))).toMatch(
      /^409 CONFLICT: payload\.base_snapshot_id: policy router is at /,
    );
  });

  it('is shown in pages, of which no more than one is in memory', async () => {
    const load = jest.spyOn(EventLog.prototype, 'load');
    const page = async (query: string) => (await oscar.get<Body>(`/governance/events/governance?${query}`)).body;
    const whole = (await page('limit=200'))['items'] as readonly { position: string }[];
    expect(whole.length).toBeGreaterThan(1);
    let cursor = '';
    for (const [i, item] of whole.entries()) {
      const one = await page(`limit=1${cursor}`);
      const isLast = i === whole.length - 1;
      expect([one['items'], one['next_cursor']]).toEqual([[item], isLast ? null : item.position]);
      cursor = `&cursor=${item.position}`;
    }
    expect(load.mock.calls.filter(([stream]) => stream === 'policy-governance')).toEqual([]);
    expect(told({ status: 400, body: await page('cursor=1') })).toMatch(/^400 INVALID_INPUT: query\.cursor/);
  });

  it('is shown as it is in force, and as it was', async () => {
    const history = async (query = '') => (await oscar.get<Body>(`/governance/events/governance${query}`)).body;
    const now = await history();
    const [first, ...changes] = now['items'] as readonly { position: string; data: JsonObject }[];
    expect(now['in_force']).toMatchObject({
      snapshot_id: changes.at(-1)!.data['snapshot_id'],
      body: { council_members: ['user_anna', 'user_ben', 'user_cara', 'user_eve'] },
    });
    const before = await history(`?as_of=${first!.position}`);
    expect(before).toMatchObject({ items: [first], in_force: { snapshot_id: first!.data['snapshot_id'] } });
    expect((before['in_force'] as { body: JsonObject }).body).not.toHaveProperty('council_members');
    expect(await history('?as_of=0')).toEqual({ items: [], in_force: null, next_cursor: null, position: '0' });
    expect(told({ status: 400, body: await history('?as_of=99999999999') })).toBe(
      '400 INVALID_INPUT: as_of: nothing has reached position 99999999999 yet',
    );
    expect(told({ status: 400, body: await history('?as_of=now') })).toMatch(/^400 INVALID_INPUT: query\.as_of/);
  });
});
