import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

import type { RequestView } from '#lib/governance';
import { goldenMessage } from '#lib/kernel';

import { changeReads } from '../../../../test/support/changed-reads.js';
import { until } from '../../../../test/support/eventually.js';
import { type Caller, JobApp } from '../../../../test/support/job-app.js';

/** Where queries go, over HTTP on the whole application (spec/decisions.md, "Routing"; seed 001, Router section 7). */

interface Body {
  readonly agent_id: string;
  readonly route_reason: string;
  readonly depth: number;
  readonly token_budget: number;
  readonly route_trace: {
    readonly intent: string;
    readonly selected: string;
    readonly candidates: readonly { readonly node_id: string; readonly final_score: number }[];
    readonly snapshots: Readonly<Record<string, string>>;
  };
  readonly error_code: string;
  readonly user_message: string;
  readonly developer_message: string;
}

let app: JobApp;
let tuff: Caller;
let ada: Caller;
let council: Caller[];
let keys = 0;

beforeAll(async () => {
  app = await JobApp.open({}, { MACE_AGENT_HOSTS: 'localhost' });
  tuff = await app.caller('tuff');
  ada = await app.caller('ada', ['admin'], ['otp']);
  council = await Promise.all(['anna', 'ben', 'cara'].map((name) => app.caller(name, ['council'], ['otp'])));
});
afterAll(() => app.dispose());

const newKey = (): string => `router-key-${String(++keys).padStart(4, '0')}`;
const ask = (path: 'route' | 'decide', body: unknown, caller = tuff, key = newKey()) =>
  caller.send<Body>('POST', `/router/${path}`, body, { 'idempotency-key': key });
const decide = (query_text: string, more: object = {}, key?: string) =>
  ask('decide', { query_text, ...more }, tuff, key);
const refusalOf = ({ status, body }: { status: number; body: Body }) =>
  `${status} ${body.error_code}: ${body.developer_message}`;

/** Everything that was recorded of decisions outside jobs, newest last. */
async function recorded() {
  const streams = (await app.texts()).flatMap((text) => /"stream":"(route-[0-9a-f]{32})"/.exec(text)?.[1] ?? []);
  const all = await Promise.all([...new Set(streams)].map((stream) => app.stream(stream)));
  return all.flat();
}

const propose = (policy: string, change: object) =>
  ada.send<RequestView>('POST', '/governance/policy/propose', { policy, change, justification: 'tried in a test' });

async function changePolicy(policy: string, change: object): Promise<void> {
  const { request_id } = (await propose(policy, change)).body;
  await approved(request_id);
}

async function approved(id: string): Promise<void> {
  const isNow = async (status: string) => (await ada.get<RequestView>(`/actionrequest/${id}`)).body.status === status;
  const { proposal_digest } = (await ada.get<RequestView>(`/actionrequest/${id}`)).body;
  for (const member of council)
    await member.send('POST', `/actionrequest/${id}/vote`, { vote: 'approve', proposal_digest });
  await until(() => isNow('executed'), `the execution of request ${id}`);
}

describe('POST /router/decide', () => {
  it('answers where a job of one’s own would go, with every score and the snapshots in force', async () => {
    const { status, body } = await decide('What is 6 * 7?');
    expect(status).toBe(200);
    expect(Object.keys(body).sort()).toEqual(['agent_id', 'depth', 'route_reason', 'route_trace', 'token_budget']);
    expect(body).toMatchObject({
      agent_id: 'math_agent',
      route_reason: 'math_detect',
      depth: 1,
      token_budget: 1536,
      route_trace: { intent: 'math', selected: 'agent:math_v1' },
    });
    const { body: job } = await tuff.ask('What is 6 * 7?', { job_seed: 'route-like-this' });
    const { snapshots, ...trace } = body.route_trace;
    const { router, brainstate, selfrep } = job.snapshots;
    expect(snapshots).toEqual({ router, brainstate, selfrep });
    const [decision] = (await app.stream(`job-${job.job_id}`)).filter(({ type }) => type === 'ROUTER_DECISION');
    expect(decision!.data['route_trace']).toEqual(trace);
    expect(decision!.data).toMatchObject({
      agent_id: body.agent_id,
      depth: body.depth,
      token_budget: body.token_budget,
    });
  });

  it('is on record with its scores before it is answered; the words of the query are not', async () => {
    await decide('Please summarize my gardening exploits');
    const decision = (await recorded()).filter(({ type }) => type === 'ROUTE_DECIDED').at(-1)!;
    expect(decision).toMatchObject({
      data: {
        stage: 1,
        user_id: 'user_tuff',
        error_code: null,
        query_hash: expect.stringMatching(/^[0-9a-f]{64}$/),
        route_trace: { candidates: expect.any(Array) },
      },
      metadata: { actor: { id: 'user_tuff', role: 'user' } },
    });
    expect((await app.texts()).join()).not.toContain('gardening');
    expect((await app.texts()).join()).not.toContain(decision.data['query_hash']);
  });

  it('records a miss where only the generic agent is left', async () => {
    const { body } = await decide('hmm');
    expect(body).toMatchObject({ agent_id: 'generic_agent', route_reason: 'fallback_generic', depth: 0 });
    expect((await recorded()).at(-1)).toMatchObject({
      type: 'router_miss',
      data: { user_id: 'user_tuff', iteration: 0, intent_tags: ['general'] },
    });
  });

  it('is the same answer under the same Idempotency-Key, recorded once; another body is refused', async () => {
    const key = newKey();
    const first = await decide('What is 6 * 8?', {}, key);
    const count = (await recorded()).length;
    expect((await decide('What is 6 * 8?', {}, key)).body).toEqual(first.body);
    expect((await recorded()).length).toBe(count);
    const other = await decide('What is 6 * 9?', {}, key);
    expect([other.status, other.body.error_code]).toEqual([422, 'IDEMPOTENCY_KEY_REUSED']);
  });

  it('is for oneself, in any spelling; of another it is refused, to an admin too', async () => {
    expect((await decide('What is 6 * 7?', { user_id: 'Tuff' })).status).toBe(200);
    for (const caller of [tuff, ada]) {
      const refused = await ask('decide', { query_text: 'What is 6 * 7?', user_id: 'vera' }, caller);
      expect(refusalOf(refused)).toBe(
        '403 PERMISSION_DENIED: user_id: one asks where one’s own query would go; leave it out',
      );
    }
  });

  it('sends a query with personal data nowhere, and keeps none of it', async () => {
    for (const body of [
      { query_text: 'My SSN is 123-45-6789' },
      { query_text: 'What is 1 + 1?', context_tags: { note: 'ssn 123-45-6789' } },
    ]) {
      const refused = await ask('decide', body);
      expect(refusalOf(refused)).toBe('403 PRIVACY_BLOCKED: the query holds personal data and is routed nowhere');
    }
    const last = (await recorded()).at(-1)!;
    expect(last.data).toMatchObject({
      error_code: 'PRIVACY_BLOCKED',
      agent_id: null,
      pii_findings: [{ pii_type: 'us_ssn', category: 'high' }],
    });
    expect((await app.texts()).join()).not.toContain('123-45-6789');
  });

  it('is refused where a snapshot in force is not stored any more', async () => {
    const { snapshots } = (await decide('What is 6 * 7?')).body.route_trace;
    const putBack = changeReads(app.parts.platform.eventStore, `snapshot-${snapshots['router']}`, () => null);
    const refused = await decide('What is 6 * 7?');
    putBack();
    expect(refusalOf(refused)).toBe('503 ROUTER_NO_SNAPSHOT: a snapshot of those in force is not stored');
    expect(refused.body.user_message).toBe(goldenMessage('ROUTER_NO_SNAPSHOT'));
    expect((await decide('What is 6 * 7?')).status).toBe(200);
  });

  it('is refused where a snapshot in force is not what it was signed as', async () => {
    const { snapshots } = (await decide('What is 6 * 7?')).body.route_trace;
    const putBack = changeReads(app.parts.platform.eventStore, `snapshot-${snapshots['router']}`, (event) => ({
      ...event,
      text: event.text.replace('"top_n":10', '"top_n":11'),
    }));
    const refused = await decide('What is 6 * 7?');
    putBack();
    expect([refused.status, refused.body.error_code]).toEqual([409, 'INTEGRITY_FAILURE']);
  });

  it.each([
    ['no query', {}, 'query_text'],
    ['an empty query', { query_text: '' }, 'query_text'],
    ['a query that is no text', { query_text: 7 }, 'query_text'],
    ['a query over the limit', { query_text: 'x'.repeat(8001) }, 'query_text has 8001 characters; at most 8000'],
    ['tags that are no texts', { query_text: 'x', context_tags: { a: 1 } }, 'context_tags'],
    ['another field', { query_text: 'x', job_seed: 'mine' }, 'job_seed'],
  ])('is refused with %s', async (_, body, told) => {
    for (const path of ['route', 'decide'] as const) {
      const refused = await ask(path, body);
      expect(refusalOf(refused)).toMatch(/^400 INVALID_INPUT: /);
      expect(refused.body.developer_message).toContain(told);
    }
  });
});

describe('POST /router/preview', () => {
  const preview = (body: unknown) => tuff.send<Body & { routes: unknown }>('POST', '/router/preview', body);

  it('answers where queries would go without a word of them, and records nothing', async () => {
    const before = (await app.texts()).length;
    const { status, body } = await preview({ queries: ['What is 6 * 7?', 'My SSN is 123-45-6789'] });
    expect(status).toBe(200);
    expect(body).toMatchObject({
      proposed: false,
      routes: [
        {
          intent_tags: ['math', 'fact'],
          agent_id: 'math_agent',
          error_code: null,
          candidates: [{ node_id: 'agent:math_v1' }],
        },
        { intent_tags: [], agent_id: null, error_code: 'PRIVACY_BLOCKED' },
      ],
    });
    expect(JSON.stringify(body)).not.toMatch(/SSN|6 \* 7/);
    expect((await app.texts()).length).toBe(before);
  });

  it('takes a change as it would be proposed, and changes nothing that is in force', async () => {
    const queries = ['I want a refund'];
    const change = { own_intents: { refund: { patterns: ['refund'], actions: [] } } };
    const proposed = await preview({ queries, change });
    expect(proposed.body).toMatchObject({
      proposed: true,
      routes: [{ intent_tags: ['refund'], agent_id: 'generic_agent', route_reason: 'fallback_generic' }],
    });
    expect((await preview({ queries })).body).toMatchObject({ routes: [{ intent_tags: ['general'] }] });
    const refused = await preview({ queries, change: { min_score: 7 } });
    expect(refusalOf(refused)).toMatch(/^400 INVALID_INPUT: change: /);
  });

  it('runs no pattern whose steps are beyond all numbers', async () => {
    const patterns = ['(?:(?:a|a){1,200}){1,200}b{0}c', '(?:(?:a|a){1,200}){1,200}c'];
    for (const pattern of patterns) {
      const change = { own_intents: { refund: { patterns: [pattern], actions: [] } } };
      const refused = await preview({ queries: ['a'.repeat(22)], change });
      expect(refusalOf(refused)).toMatch(/^400 INVALID_INPUT: change: \/own_intents\/refund\/patterns\/0: /);
    }
  });

  it.each([
    ['no queries', { queries: [] }, 'queries'],
    ['more than a hundred', { queries: Array.from({ length: 101 }, () => 'x') }, 'queries'],
    ['one that is too long', { queries: ['x', 'y'.repeat(8001)] }, 'query_text has 8001 characters; at most 8000'],
    ['a policy that is no object', { queries: ['x'], change: 'all' }, 'change'],
  ])('is refused with %s', async (_, body, told) => {
    const refused = await preview(body);
    expect(refusalOf(refused)).toMatch(/^400 INVALID_INPUT: /);
    expect(refused.body.developer_message).toContain(told);
  });
});

describe('an intent of one’s own', () => {
  const QUERY = 'I would like my order number 12 refunded';
  let shop: Server;

  beforeAll(async () => {
    shop = createServer((request, response) =>
      request.resume().on('end', () => {
        const answer = { outcome: 'answer', text: 'Your refund is under way.', confidence: 0.9 };
        response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(answer));
      }),
    );
    await new Promise<void>((done) => shop.listen(0, '127.0.0.1', done));
  });
  afterAll(() => void shop.close());

  const change = (intent: object | null) => ({ own_intents: { 'shop.refund': intent } });
  const tagsOf = async (job: string) =>
    (await app.stream(`job-${job}`)).find(({ type }) => type === 'QCP_CLASSIFIED')!.data['intent_tags'];

  it('is refused with its place and the allowed form, before anybody votes', async () => {
    const told = async (intent: object) => refusalOf((await propose('router', change(intent))) as never);
    expect(await told({ patterns: ['refund.*order'], actions: [] })).toBe(
      '400 INVALID_INPUT: change: /own_intents/shop.refund/patterns/0: repeats without end (*): write how often at most, as in {0,40}',
    );
    expect(await told({ patterns: ['refund'], actions: [], over: ['general'] })).toMatch(
      /own_intents\/shop.refund\/over\/0: one of command/,
    );
    expect(await told({ patterns: ['refund'] })).toMatch(/own_intents\/shop.refund\/actions: missing/);
  });

  it('takes a query to the agent that lists it, and its job replays in every mode once the policy is another', async () => {
    expect((await decide(QUERY)).body.route_trace.intent).toBe('general');
    await changePolicy('router', change({ patterns: ['\\brefund(?:s|ed)?\\b'], actions: ['compute'] }));
    const made = await ada.send<RequestView>('POST', '/module/register', {
      node_id: 'agent:shop_v1',
      type: 'agent',
      display_name: 'A shop',
      version: '1.0.0',
      capabilities: ['shop.refund'],
      endpoint: { kind: 'http', url: `http://127.0.0.1:${(shop.address() as AddressInfo).port}/turn` },
    });
    await approved(made.body.request_id);
    await until(async () => (await decide(QUERY)).body.agent_id === 'shop_agent', 'the route to it');

    const { body: job } = await tuff.ask(QUERY);
    expect(job).toMatchObject({ agent_id: 'shop_agent', route_reason: 'shop.refund' });
    expect(job.final_answer).toBe('Your refund is under way.');
    expect(await tagsOf(job.job_id)).toEqual(['shop.refund']);

    await changePolicy('router', change(null));
    expect((await decide(QUERY)).body.route_trace.intent).toBe('general');
    for (const mode of ['audit', 'reexecute', 'production']) {
      const replayed = await ada.send('POST', '/replay/request', { job_id: job.job_id, mode });
      expect(replayed.body).toMatchObject({ verdict: 'MATCH', authoritative: true });
    }
  });
});

describe('POST /router/route', () => {
  it('knows no user where none is named, and records what it decided', async () => {
    const query_text = 'Show my favorite colour';
    expect((await ask('route', { query_text })).body).toMatchObject({ agent_id: 'generic_agent', depth: 1 });
    expect((await ask('route', { query_text, user_id: 'tuff' })).body).toEqual({
      agent_id: 'profile_agent',
      route_reason: 'profile_lookup',
      depth: 1,
    });
    expect((await recorded()).at(-1)).toMatchObject({
      type: 'ROUTE_DECIDED',
      data: { stage: 0, user_id: 'user_tuff', asked_for: 'tuff', route_reason: 'profile_lookup', route_trace: null },
    });
  });

  it('follows an executed policy change at once; a job that was begun before keeps its snapshots', async () => {
    const { body: before } = await tuff.ask('2 + 2', { job_seed: 'before-the-change' });
    expect((await ask('route', { query_text: '2+2' })).body).toMatchObject({ agent_id: 'math_agent' });
    await changePolicy('router', { stage0: { enable_math: false, enable_generic: false } });
    expect(refusalOf(await ask('route', { query_text: '2+2' }))).toBe(
      '400 ROUTER_NO_MATCH: no enabled module serves this query',
    );
    const { body: after } = await tuff.ask('2 + 2', { job_seed: 'after-the-change' });
    expect(after.snapshots['router']).not.toBe(before.snapshots['router']);
    const { body: kept } = await tuff.ask('2 + 2', { job_seed: 'before-the-change' });
    expect(kept.snapshots).toEqual(before.snapshots);
    expect((await decide('2 + 2')).body.route_trace.snapshots['router']).toBe(after.snapshots['router']);
  });

  it('and a decision of Stage-1, and a new BrainState, follow changes of the other policies', async () => {
    await changePolicy('brainstate', { token_budget: 1024 });
    expect((await decide('What is 6 * 7?')).body.token_budget).toBe(768);
    const { body } = await ada.send<{ brainstate_snapshot_id: string }>('POST', '/brainstate/create_snapshot', {
      job_seed: 'on-the-new-budget',
    });
    const made = await ada.get<{ resource_budget: object }>(`/brainstate/${body.brainstate_snapshot_id}`);
    expect(made.body.resource_budget).toEqual({ token_budget: 1024, max_depth_allowed: 2 });
    await changePolicy('governance', { max_query_length: 20 });
    expect(refusalOf(await decide('x'.repeat(21)))).toBe('400 INVALID_INPUT: query_text has 21 characters; at most 20');
  });
});
