import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { responseKeys } from '#lib/access';
import { type AgentOptions, type RunningAgent, serveAgent } from '#lib/agent-server';
import { routingCorpus } from '#lib/routing';

import { answerOf, mace as runMace } from '../testing/mace.js';
import { ServedFolder } from '../testing/served-folder.js';

/** The commands of router, BrainState, modules and trust, each on a folder of its own process (spec/api.md, "Command line"). */

const MATH = 'agent:math_v1';

let served: ServedFolder;
beforeAll(async () => (served = await ServedFolder.open('decisions')));
afterAll(() => served.close());

const mace = (...args: string[]) => runMace('--data', served.path, ...args);
const answer = <T = Record<string, unknown>>(...args: string[]) => answerOf<T>('--data', served.path, ...args);

/** What --dry-run says would be sent. */
async function rehearsal(...args: string[]): Promise<string> {
  const { code, out, err } = await mace(...args, '--dry-run');
  expect({ code, err }).toEqual({ code: 0, err: '' });
  return out;
}

describe('mace router', () => {
  it('decide shows where a job would go, every score, and the snapshots in force', async () => {
    const { code, out } = await mace('router', 'decide', 'What is 6 * 7?', '--tag', 'locale=en');
    expect(code).toBe(0);
    expect(out).toMatch(/^agent_id +math_agent$/m);
    expect(out).toMatch(/^CANDIDATE +SCORE +AVAILABILITY$/m);
    expect(out).toMatch(/^agent:math_v1 +0\.[0-9]+ +0\.[0-9]+$/m);
    expect(out).toMatch(/^selfrep +[0-9a-f]{64}$/m);
    expect(await answer('router', 'decide', 'What is 6 * 7?')).toMatchObject({
      agent_id: 'math_agent',
      route_trace: { selected: MATH, snapshots: { router: expect.stringMatching(/^[0-9a-f]{64}$/) } },
    });
  });

  it('route asks the nine rules, for nobody unless somebody is named', async () => {
    const query = 'Show my favorite colour';
    expect(await answer('router', 'route', query)).toMatchObject({ agent_id: 'generic_agent' });
    expect(await answer('router', 'route', query, '--user', 'tuff')).toMatchObject({ agent_id: 'profile_agent' });
  });

  it('corpus prints how the classifier fares on the labelled queries, as a table and as data', async () => {
    const { table, ...rest } = await answer<{ table: Record<string, Record<string, number>> }>('router', 'corpus');
    const corpus = routingCorpus();
    expect(corpus.length).toBeGreaterThanOrEqual(150);
    expect(rest).toEqual({ total: corpus.length, right: corpus.length, misses: [] });
    const said = [...new Set(corpus.map(({ intent }) => intent))].sort();
    const count = (intent: string): number => corpus.filter((one) => one.intent === intent).length;
    expect(table).toEqual(Object.fromEntries(said.map((intent) => [intent, { [intent]: count(intent) }])));

    const { code, out } = await mace('router', 'corpus');
    expect(code).toBe(0);
    const [head, ...lines] = out.split('\n').map((line) => line.trim().split(/ {2,}/));
    expect(head).toEqual(['SAID \\ GIVEN', ...said]);
    const row = (intent: string) => [intent, ...said.map((given) => (given === intent ? String(count(intent)) : '·'))];
    expect(lines).toEqual([...said.map(row), [''], [`${corpus.length} of ${corpus.length} queries as labelled`]]);
  });

  describe('corpus FILE', () => {
    let folder: string;
    beforeAll(() => (folder = mkdtempSync(join(tmpdir(), 'mace-corpus-'))));
    afterAll(() => rmSync(folder, { recursive: true, force: true }));
    const written = (name: string, text: string): string => {
      writeFileSync(join(folder, name), text);
      return join(folder, name);
    };
    const CHANGE = { own_intents: { 'shop.refund': { patterns: ['\\brefund\\b'], actions: [], over: ['fact'] } } };
    const QUERIES = [
      'What is 6 * 7?',
      '',
      '{"query": "What is a refund?", "expected_intent": "shop.refund"}',
      '{"query": "Write a poem about rain", "expected_intent": "creative"}',
      'My SSN is 123-45-6789',
    ].join('\n');

    it('says where each query would go and why, under the policy in force and under one that is proposed', async () => {
      const file = written('queries.txt', QUERIES);
      const head = await served.head();
      expect(await mace('router', 'corpus', file)).toEqual({
        code: 2,
        err: '',
        out: [
          'LINE  QUERY                    TAGS        AGENT            WHY',
          '1     What is 6 * 7?           math, fact  math_agent       agent:math_v1 0.3027',
          '3     What is a refund?        fact        knowledge_agent  agent:knowledge_v1 0.3027',
          '4     Write a poem about rain  creative    generic_agent    fallback: agent:creative_v1 not_callable',
          '5     My SSN is 123-45-6789    -           none             PRIVACY_BLOCKED',
          '',
          '1 of 2 as expected',
          '  line 3: shop.refund, given fact',
        ].join('\n'),
      });
      const policy = written('change.json', JSON.stringify(CHANGE));
      const { code, out } = await mace('router', 'corpus', file, '--policy', policy);
      expect(code).toBe(0);
      expect(out).toContain('shop.refund, fact  generic_agent  fallback: nobody serves shop.refund\n');
      expect(out).toMatch(/\n2 of 2 as expected$/);
      expect(await answer('router', 'corpus', file, '--policy', policy)).toMatchObject({
        proposed: true,
        total: 4,
        expected: 2,
        right: 2,
        routes: [
          { line: 1, query: 'What is 6 * 7?', intent_tags: ['math', 'fact'], agent_id: 'math_agent' },
          {},
          {},
          {},
        ],
      });
      expect(await served.head()).toBe(head);
    });

    it('asks for as many as a request may hold at a time, in their order', async () => {
      const long = Array.from({ length: 230 }, (_, i) => `What is ${i} + 1? ${i % 2 === 0 ? '' : 'x'.repeat(2000)}`);
      const { routes } = await answer<{ routes: { query: string; line: number }[] }>(
        'router',
        'corpus',
        written('long.txt', long.join('\n')),
      );
      expect(routes.map(({ query }) => query)).toEqual(long.map((query) => query.trim()));
      expect(routes.at(-1)!.line).toBe(230);
      expect((await mace('router', 'corpus', written('short.txt', 'hmm'))).out).toMatch(/^1 in all$/m);
    });

    it.each([
      ['no query', '\n \n', /queries: there is no query in it; write one a line$/],
      ['another member', 'hmm\n{"query": "x", "intent": "math"}', /queries, line 2: \{"query": "…"\} or .* is needed/],
      ['what is no JSON', '{x', /queries, line 1: /],
    ])('is refused where the file holds %s', async (_, text, why) => {
      const { code, err } = await mace('router', 'corpus', written('queries', text));
      expect([code, err.trim()]).toEqual([64, expect.stringMatching(why)]);
    });

    it('is refused where a change could not be proposed, and without a file to read', async () => {
      const queries = written('queries', 'hmm');
      const own = (pattern: string): string =>
        written('own.json', JSON.stringify({ own_intents: { a: { patterns: [pattern], actions: [] } } }));
      const slow = await mace('router', 'corpus', queries, '--policy', own('a+'));
      expect([slow.code, slow.err]).toEqual([
        64,
        expect.stringContaining('/own_intents/a/patterns/0: repeats without end'),
      ]);
      expect((await mace('router', 'corpus', queries, '--policy', queries)).err).toContain('holds no JSON object');
      expect((await mace('router', 'corpus', join(folder, 'none'))).err).toContain('cannot be read (ENOENT)');
      expect((await mace('router', 'corpus', '--policy', queries)).code).toBe(64);
    });
  });

  it('is denied with 77 for personal data, and is only told with --dry-run', async () => {
    const { code, out, err } = await mace('router', 'decide', 'My SSN is 123-45-6789');
    expect([code, out]).toEqual([77, '']);
    expect(err).toContain('PRIVACY_BLOCKED: the query holds personal data and is routed nowhere');
    expect(await rehearsal('router', 'decide', 'hmm', '--tag', 'a=b')).toBe(
      'would send POST /router/decide {"query_text":"hmm","context_tags":{"a":"b"}}',
    );
    expect(await rehearsal('router', 'route', 'hmm')).toBe('would send POST /router/route {"query_text":"hmm"}');
    expect((await mace('router', 'decide', 'hmm', '--tag', 'nothing')).code).toBe(64);
  });
});

describe('mace brainstate', () => {
  it('makes a snapshot, inserts, ticks, asks and shows, also as it was before', async () => {
    const made = await answer<{ brainstate_snapshot_id: string }>(
      'brainstate',
      'create-snapshot',
      'a-seed',
      '--attention',
      '{"attention_gain":0.4}',
      '--budget',
      '{"max_depth_allowed":3}',
      '--goals',
      '[{"type":"answer","priority":0.9}]',
    );
    const id = made.brainstate_snapshot_id;
    const { event_id } = await answer<{ event_id: string }>('brainstate', 'insert', id, 'fact', 'blue', '--ttl', '2');
    const ticked = await answer('brainstate', 'tick', id, event_id);
    expect(ticked).toMatchObject({ tick: 1, WM: [{ type: 'fact', value: 'blue', ttl_ticks: 1 }] });
    expect(await answer('brainstate', 'query', id)).toEqual({
      max_depth_allowed: 1,
      prefer_high_APT: false,
      allow_explore: true,
    });
    expect(await answer('brainstate', 'show', id)).toMatchObject({ tick: 1, redacted: false });
    const early = await mace('brainstate', 'show', id, '--as-of', '0');
    expect([early.code, early.err]).toEqual([1, expect.stringContaining('NOT_FOUND')]);
    expect((await mace('brainstate', 'show', id)).out).toMatch(/^tick +1$/m);
  });

  it('only tells what it would do with --dry-run', async () => {
    expect(await rehearsal('brainstate', 'create-snapshot', 's')).toBe(
      'would send POST /brainstate/create_snapshot {"job_seed":"s"}',
    );
    expect(await rehearsal('brainstate', 'insert', 'abc', 'fact', '{"n":1}', '--value-json')).toBe(
      'would send POST /brainstate/insert {"brainstate_snapshot_id":"abc","type":"fact","value":{"n":1}}',
    );
    expect(await rehearsal('brainstate', 'tick', 'abc', 'e1', 'e2')).toBe(
      'would send POST /brainstate/tick {"brainstate_snapshot_id":"abc","event_ids":["e1","e2"]}',
    );
  });

  it.each([
    ['goals that are no JSON', ['create-snapshot', 's', '--goals', '{']],
    ['attention that is no object', ['create-snapshot', 's', '--attention', '[]']],
    ['a value that is no JSON', ['insert', 'abc', 'fact', '{', '--value-json']],
    ['a time to live that is no number', ['insert', 'abc', 'fact', 'x', '--ttl', 'long']],
    ['no snapshot', ['show']],
  ])('ends with 64 for %s', async (_, args) => {
    expect((await mace('brainstate', ...args)).code).toBe(64);
  });
});

describe('mace modules and mace trust', () => {
  it('list and show modules, by type and status, and as one was', async () => {
    const { out } = await mace('modules', 'list', '--type', 'agent');
    expect(out).toMatch(/^NODE_ID +TYPE +STATUS +CALLABLE +APT +STATUS_REASON$/m);
    expect(out).toMatch(/^agent:math_v1 +agent +degraded +true +0\.7 /m);
    const page = await answer<{ items: object[]; next_cursor: string; position: string }>(
      'modules',
      'list',
      '--limit',
      '2',
    );
    expect(page.items).toHaveLength(2);
    expect((await answer<{ items: object[] }>('modules', 'list', '--cursor', page.next_cursor)).items.length).toBe(6);
    expect(await answer('modules', 'show', MATH, '--as-of', page.position)).toMatchObject({ node_id: MATH, apt: 0.7 });
    expect((await mace('modules', 'list', '--status', 'tired')).code).toBe(64);
    expect((await mace('modules', 'show', 'agent:nobody')).code).toBe(1);
  });

  it('register, say what moves trust, show it and compute it anew', async () => {
    const node = 'tool:thermometer';
    const registered = await answer(
      'modules',
      'register',
      node,
      '--release',
      '1.0.0',
      '--name',
      'T',
      '--depends-on',
      MATH,
    );
    expect(registered).toMatchObject({
      node_id: node,
      display_name: 'T',
      dependencies: [{ to: MATH, required: true }],
      registration: { registered_by: 'local' },
    });
    expect(await answer('trust', 'post', node, 'GROUND_TRUTH_LABEL', '--payload', '{"correct":true}')).toMatchObject({
      apt_before: 0.5,
      apt_after: 0.5995,
    });
    const shown = (await mace('trust', 'show', node)).out.split('\n');
    expect(shown[0]).toBe('tool:thermometer: trust 0.5995, degraded, after 1 trust events');
    expect(shown[2]).toMatch(/ GROUND_TRUTH_LABEL +0\.5 +0\.5995 /);
    expect(await answer('trust', 'recompute', node)).toMatchObject({ equal: true, recomputed_apt: 0.5995 });
    expect((await mace('trust', 'post', node, 'PRAISE')).code).toBe(64);
    expect((await mace('modules', 'restore', node)).err).toContain('CONFLICT');
  });

  it('ask the council for what is its affair', async () => {
    const asked = await answer<{ pending: boolean; request_id: string }>(
      'modules',
      'quarantine',
      MATH,
      'harmful answers',
    );
    expect(asked).toMatchObject({ pending: true, node_id: MATH });
    const request = await answer('governance', 'show', asked.request_id);
    expect(request).toMatchObject({ kind: 'module_quarantine', status: 'pending' });
  });

  it('only tell what they would do with --dry-run', async () => {
    expect(await rehearsal('modules', 'register', 'agent:x', '--release', '1', '--capability', 'math,fact')).toBe(
      'would send POST /module/register {"node_id":"agent:x","type":"agent","display_name":"agent:x","version":"1","capabilities":["math","fact"]}',
    );
    expect(await rehearsal('modules', 'quarantine', MATH, 'why')).toBe(
      `would send POST /module/quarantine {"node_id":"${MATH}","reason":"why"}`,
    );
    expect(await rehearsal('modules', 'restore', MATH, '--reason', 'why')).toBe(
      'would send POST /modules/agent%3Amath_v1/restore {"reason":"why"}',
    );
    expect(await rehearsal('trust', 'post', MATH, 'OPERATIONAL_NOTE', '--payload', '{"note":"n"}')).toBe(
      `would send POST /apt/event {"node_id":"${MATH}","event_type":"OPERATIONAL_NOTE","payload":{"note":"n"}}`,
    );
  });

  it('are denied with 77 to whoever may not', async () => {
    const { out: token } = await mace('token', '--user', 'tuff', '--role', 'user');
    for (const args of [
      ['modules', 'list'],
      ['trust', 'recompute', MATH],
      ['brainstate', 'show', 'a'.repeat(64)],
      ['modules', 'restore', MATH],
    ]) {
      const { code, err } = await mace('--token', token, ...args);
      expect([code, err]).toEqual([77, expect.stringContaining('PERMISSION_DENIED')]);
    }
  });
});

describe('mace agents', () => {
  const asked: string[] = [];
  let agent: RunningAgent;
  let other: Server;
  let said: (request: IncomingMessage) => readonly [status: number, body: string];

  beforeAll(async () => {
    const answer: AgentOptions['answer'] = ({ query_text, suggested_changes }) => {
      asked.push(query_text);
      return { text: `You asked: ${[query_text, ...suggested_changes].join('; ')}`, confidence: 0.8 };
    };
    const mace = responseKeys(served.ring);
    agent = await serveAgent({ capabilities: ['creative'], answer, mace, port: 0, secret: 's3cret' });
    other = createServer((request, response) => {
      const [status, body] = said(request);
      response.writeHead(status).end(body);
    });
    await once(other.listen(0, '127.0.0.1'), 'listening');
  });
  afterAll(async () => {
    other.close();
    await agent.close();
  });
  const otherUrl = () => `http://127.0.0.1:${(other.address() as AddressInfo).port}/`;

  it('list shows how each agent is called', async () => {
    const { out } = await mace('agents', 'list');
    expect(out).toMatch(/^NODE_ID +KIND +AT +CAPABILITIES +STATUS +APT +CALLS$/m);
    expect(out).toMatch(/^agent:math_v1 +built in +- +\["math"\] +degraded +0\.7 +yes$/m);
    expect(out).toMatch(/^agent:creative_v1 .* no: no language engine is configured/m);
  });

  it('list says of who failed how far it is trusted, and from where on it is asked', async () => {
    const { out: token } = await mace('token', '--user', 'ops', '--role', 'operator');
    expect((await mace('--token', token, 'trust', 'post', 'agent:verification_v1', 'AGENT_EXCEPTION')).code).toBe(0);
    const { out } = await mace('--token', token, 'agents', 'list');
    expect(out).toMatch(/^agent:verification_v1 .* degraded +0\.4493 +no: trust 0\.4493, asked from 0\.4502 on$/m);
  });

  it('add registers an agent at a URL, whose host has to be listed', async () => {
    const add = ['agents', 'add', 'agent:poet_v1', 'https://agents.example/turn', '--capability', 'creative'];
    expect(await rehearsal(...add)).toBe(
      'would send POST /module/register {"node_id":"agent:poet_v1","type":"agent","display_name":"agent:poet_v1","version":"1.0.0","capabilities":["creative"],"endpoint":{"kind":"http","url":"https://agents.example/turn"}}',
    );
    const { code, err } = await mace(...add);
    expect([code, err]).toEqual([64, expect.stringContaining('a host that MACE_AGENT_HOSTS lists')]);
    expect(await mace('agents', 'add', 'module:poet_v1', ...add.slice(3))).toMatchObject({ code: 64, out: '' });
  });

  it('try asks as MACE does, signed and with the secret, shows both sides, and records nothing', async () => {
    process.env['MACE_AGENT_SECRET_POET'] = 's3cret';
    const before = await served.head();
    const tried = ['agents', 'try', agent.url, 'Write about rain', '--secret-ref', 'MACE_AGENT_SECRET_POET'];
    const { code, out, err } = await mace(...tried, '--change', 'shorter', '--intent', 'creative');
    expect([code, err]).toEqual([
      0,
      'note: a server calls it only where its MACE_AGENT_HOSTS lists 127.0.0.1; the setting here does not',
    ]);
    expect(out).toMatch(/^sent {2}POST http:\/\/127\.0\.0\.1:\d+\/$/m);
    expect(out).toMatch(/^ +authorization +Bearer \(MACE_AGENT_SECRET_POET\)$/m);
    expect(out).toMatch(/^ +signature-input +mace=/m);
    expect(out).toMatch(/^ +suggested_changes +\["shorter"\]$/m);
    expect(out).toMatch(/^came {2}200, \d+ bytes, after \d+ ms$/m);
    expect(out).toMatch(/^ +\{"outcome":"answer","text":"You asked: Write about rain; shorter","confidence":0.8\}$/m);
    expect(out).toMatch(/^so {4}MACE takes it, with confidence 0.8/m);
    expect(out + err).not.toContain('s3cret');
    expect([asked, await served.head()]).toEqual([['Write about rain'], before]);
    const { out: json } = await mace(...tried, '--json');
    expect(JSON.parse(json)).toMatchObject({ came: { status: 200 }, reply: { kind: 'answer' } });
  });

  it.each<[string, readonly [number, string], RegExp]>([
    [
      'another status',
      [503, 'later'],
      /503, 5 bytes[^]*not take it: the agent's answer: status 503, and not 200 \(RemoteStatus503/,
    ],
    ['a page', [200, '<html></html>'], /no JSON in UTF-8 \(RemoteNotJson[^]*looks like a page/],
    [
      'a member of another form',
      [200, '{"outcome":"answer","text":7}'],
      /text: a text of at most [^]*\(RemoteNotSchema/,
    ],
    [
      'an answer that is too long',
      [200, `{"outcome":"answer","text":"${'a'.repeat(250_000)}"}`],
      /not take it: the agent's answer: text: a text of at most 16000 characters \(RemoteNotSchema/,
    ],
    ['a member too many', [200, '{"outcome":"answer","text":"a","mood":1}'], /only outcome, text, .* are members/],
    [
      'signs that control a terminal',
      [200, '{"outcome":"maybe","text":"\u009b2Jgone\u202e"}'],
      /\ufffd2Jgone\ufffd"[^]*outcome: "answer" or/,
    ],
    ['signs that are no JSON', [200, '\u001b[2J\u0007"\r'], /\ufffd\[2J\ufffd"\ufffd\n[^]*no JSON in UTF-8/],
  ])('try says what is wrong with %s', async (_, answer, told) => {
    said = () => answer;
    const { code, out } = await mace('agents', 'try', otherUrl(), 'x');
    expect([code, out]).toEqual([1, expect.stringMatching(told)]);
    expect(out).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e]/);
  });

  it('try shows the secret to nobody where an agent says it', async () => {
    process.env['MACE_AGENT_SECRET_POET'] = 's3cret/of-a-poet';
    said = ({ headers }) => [200, JSON.stringify({ outcome: 'answer', text: `You sent ${headers.authorization}` })];
    const tried = ['agents', 'try', otherUrl(), 'x', '--secret-ref', 'MACE_AGENT_SECRET_POET'];
    const { code, out, err } = await mace(...tried);
    expect([code, out]).toEqual([1, expect.stringMatching(/You sent Bearer \(MACE_A[^]*\(RemoteSecret, /)]);
    expect(out + err + (await mace(...tried, '--json')).out).not.toContain('s3cret');
  });

  it('try says that nobody is there, that the secret is not, and what is no address', async () => {
    const gone = await mace('agents', 'try', 'http://127.0.0.1:9/', 'x');
    expect([gone.code, gone.out]).toEqual([1, expect.stringMatching(/came {2}nothing[^]*RemoteNotReached/)]);
    for (const args of [
      ['file:///etc/passwd'],
      ['http://u:p@localhost/'],
      [agent.url, '--secret-ref', 'MACE_AGENT_SECRET_NONE'],
    ])
      expect(await mace('agents', 'try', ...args, 'x')).toMatchObject({ code: 64, out: '' });
  });
});
