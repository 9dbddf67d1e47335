import { permissionOf, ROLES, signToken } from '#lib/access';

import { until } from '../../../../test/support/eventually.js';
import { type Answer, type Caller, JobApp } from '../../../../test/support/job-app.js';
import { asLocal } from './local-requests.js';

/** Whose write is held to the revision that its caller has read (spec/api.md, "Common"). */

type Body = Readonly<Record<string, unknown>>;
type Headers = Readonly<Record<string, string>>;

/** A resource, and writes that change it; each call of `write` would change it further. */
interface Held {
  readonly tagged: string;
  readonly write: (headers: Headers) => Promise<Answer<Body>>;
}

let app: JobApp;
let tuff: Caller;
let ada: Caller;
let oscar: Caller;
let solver: Caller;
let auditor: Caller;
let council: readonly Caller[];

beforeAll(async () => {
  app = await JobApp.open();
  tuff = await app.caller('tuff');
  ada = await app.caller('ada', ['admin', 'council', 'operator'], ['otp']);
  oscar = await app.caller('oscar', ['operator']);
  solver = await app.caller('solver', ['agent']);
  auditor = await app.caller('audrey', ['auditor']);
  council = await Promise.all(['anna', 'ben', 'cara', 'dan'].map((name) => app.caller(name, ['council'], ['otp'])));
});
afterAll(() => app.dispose());

let made = 0;
const fresh = (): number => ++made;

async function request(): Promise<{ readonly id: string; readonly proposal_digest: string }> {
  const payload = { action: 'sem_put', key: `world/a/b/c${fresh()}`, value: 'x' };
  const { body } = await solver.send<Body>('POST', '/actionrequest/create', {
    kind: 'sem_put',
    payload,
    justification: 'tried in a test',
  });
  return { id: body['request_id'] as string, proposal_digest: body['proposal_digest'] as string };
}

async function job(): Promise<{ readonly job_id: string; readonly log_id: string }> {
  const { body } = await tuff.ask(`What is 2 + ${fresh()}?`);
  return { job_id: body.job_id, log_id: (body as unknown as { log_id: string }).log_id };
}

/** How each kind of resource with an ETag is changed, made anew for each test. */
const HELD: Readonly<Record<string, () => Promise<Held>>> = {
  'PUT /sem/:scope/:entity_type/:entity_id/:attribute': async () => {
    const at = `/sem/user/profile/user_tuff/colour${fresh()}`;
    await tuff.send('PUT', at, { value: 'blue' });
    return { tagged: at, write: (headers) => tuff.send('PUT', at, { value: `red ${fresh()}` }, headers) };
  },
  'POST /actionrequest/:id/vote': async () => {
    const { id, proposal_digest } = await request();
    const voters = [...council];
    const body = { vote: 'reject', proposal_digest };
    return {
      tagged: `/actionrequest/${id}`,
      write: (headers) => voters.pop()!.send('POST', `/actionrequest/${id}/vote`, body, headers),
    };
  },
  'POST /superadmin/override': async () => {
    const { id, proposal_digest } = await request();
    const signers = [await app.caller('root', ['superadmin'], ['otp']), ada];
    const body = { request_id: id, proposal_digest, reason: 'it cannot wait' };
    return {
      tagged: `/actionrequest/${id}`,
      write: (headers) => signers.pop()!.send('POST', '/superadmin/override', body, headers),
    };
  },
  'POST /apt/event': async () => {
    const node_id = `agent:held${fresh()}_v1`;
    await ada.send('POST', '/module/register', { node_id, type: 'agent', display_name: 'Held', version: '1' });
    const body = { node_id, event_type: 'COUNCIL_APPROVAL', payload: { approve: true } };
    return { tagged: `/apt/${node_id}`, write: (headers) => ada.send('POST', '/apt/event', body, headers) };
  },
  'POST /brainstate/insert': async () => {
    const { body } = await ada.send<Body>('POST', '/brainstate/create_snapshot', { job_seed: `held-${fresh()}` });
    const id = body['brainstate_snapshot_id'] as string;
    return {
      tagged: `/brainstate/${id}`,
      write: (headers) =>
        ada.send(
          'POST',
          '/brainstate/insert',
          { brainstate_snapshot_id: id, type: 'user_hint', value: fresh() },
          headers,
        ),
    };
  },
  'POST /brainstate/tick': async () => {
    const { body } = await ada.send<Body>('POST', '/brainstate/create_snapshot', { job_seed: `held-${fresh()}` });
    const id = body['brainstate_snapshot_id'] as string;
    const tick = { brainstate_snapshot_id: id, event_ids: [] };
    return { tagged: `/brainstate/${id}`, write: (headers) => ada.send('POST', '/brainstate/tick', tick, headers) };
  },
  'POST /jobs/:job_id/feedback': async () => {
    const { job_id } = await job();
    return {
      tagged: `/jobs/${job_id}`,
      write: (headers) => tuff.send('POST', `/jobs/${job_id}/feedback`, { upvote: true }, headers),
    };
  },
  'POST /reflective-logs/:log_id/amendments': async () => {
    const { log_id } = await job();
    const body = { effect: 'note', changes: { note: 'checked by hand' } };
    return {
      tagged: `/reflective-logs/${log_id}`,
      write: (headers) => tuff.send('POST', `/reflective-logs/${log_id}/amendments`, body, headers),
    };
  },
  'POST /reflective-logs/:log_id/ground_truth': async () => {
    const { log_id } = await job();
    const judges = [...council];
    return {
      tagged: `/reflective-logs/${log_id}`,
      write: (headers) =>
        judges.pop()!.send('POST', `/reflective-logs/${log_id}/ground_truth`, { correct: true }, headers),
    };
  },
  'POST /reflective-logs/:log_id/audit_tags': async () => {
    const { log_id } = await job();
    return {
      tagged: `/reflective-logs/${log_id}`,
      write: (headers) =>
        ada.send('POST', `/reflective-logs/${log_id}/audit_tags`, { tag: `sample-${fresh()}` }, headers),
    };
  },
};

const tagOf = async ({ tagged }: Held): Promise<string> => String((await ada.get(tagged)).headers['etag']);
const told = ({ status, body }: Answer<Body>): string =>
  `${status} ${(body['error_code'] as string | undefined) ?? 'done'}`;
const logged = async (): Promise<number> => (await app.texts()).length;
/** Refused at a revision that is not there, then done at the one that is. */
async function heldOnce(tagged: string, write: (headers: Headers) => Promise<Answer<Body>>): Promise<void> {
  const refused = await write({ 'if-match': '"999999"' });
  expect(refused.body).toMatchObject({ error_code: 'PRECONDITION_FAILED' });
  const tag = String((await ada.get(tagged)).headers['etag']);
  expect(told(await write({ 'if-match': tag }))).toBe('200 done');
  expect(String((await ada.get(tagged)).headers['etag'])).not.toBe(tag);
}

describe.each(Object.keys(HELD))('%s', (name) => {
  it('is done at the revision that was read, and refused with nothing written at another one', async () => {
    const held = await HELD[name]!();
    const tag = await tagOf(held);
    expect(tag).toMatch(/^"\d+"$/);
    expect(told(await held.write({ 'if-match': tag }))).toBe('200 done');
    const after = await tagOf(held);
    expect(after).not.toBe(tag);
    expect(told(await held.write({ 'if-match': tag }))).toBe('412 PRECONDITION_FAILED');
    expect(await tagOf(held)).toBe(after);
  });

  it('is done once where two callers read the same revision and write at the same time', async () => {
    const held = await HELD[name]!();
    const tag = await tagOf(held);
    const answers = await Promise.all([held.write({ 'if-match': tag }), held.write({ 'if-match': tag })]);
    expect(answers.map(told).sort()).toEqual(['200 done', '412 PRECONDITION_FAILED']);
  });

  it('is answered as before where the same request comes again, though its own write moved the revision', async () => {
    const held = await HELD[name]!();
    const tag = await tagOf(held);
    const { route, body } = await sentBy(held, { 'if-match': tag, 'idempotency-key': `again-${fresh()}` });
    const after = await tagOf(held);
    const again = await route();
    expect(told(again)).toBe('200 done');
    expect(again.body).toEqual(body);
    expect(await tagOf(held)).toBe(after);
  });
});

/** One write, and the very same request once more. */
async function sentBy({ write }: Held, headers: Headers) {
  const seen: [Caller, Parameters<Caller['send']>][] = [];
  const callers = [tuff, ada, oscar, solver, ...council];
  const spies = callers.map((caller) => {
    const send = caller.send.bind(caller);
    return jest.spyOn(caller, 'send').mockImplementation((...args: Parameters<Caller['send']>) => {
      seen.push([{ ...caller, send }, args]);
      return send(...args);
    });
  });
  try {
    const { body } = await write(headers);
    const [caller, args] = seen.at(-1)!;
    return { body, route: () => caller.send<Body>(...args) };
  } finally {
    spies.forEach((spy) => spy.mockRestore());
  }
}

describe('If-Match', () => {
  it('stands in the description of every write of what has an ETag', async () => {
    const { payload } = await app.parts.app.fastify.inject({ url: '/openapi.json' });
    const { paths } = JSON.parse(payload) as { paths: Record<string, Record<string, Operation>> };
    const tagged = Object.entries(paths).filter(
      ([, { get }]) => get && 'ETag' in (get.responses['200']?.headers ?? {}),
    );
    expect(tagged.length).toBeGreaterThan(9);
    const writes = Object.entries(paths).flatMap(([path, operations]) =>
      Object.entries(operations)
        .filter(([method]) => method !== 'get' && tagged.some(([of]) => path === of || path.startsWith(`${of}/`)))
        .map(([method, operation]) => ({ name: `${method.toUpperCase()} ${path}`, operation })),
    );
    expect(writes.length).toBeGreaterThan(12);
    const unheld = writes.filter(({ operation }) => !takesIfMatch(operation)).map(({ name }) => name);
    expect(unheld).toEqual([]);
  });

  it('is refused by every write that is not held to a revision, with nothing written', async () => {
    const { maceRoutes } = app.parts.app.fastify;
    const { payload } = await app.parts.app.fastify.inject({ url: '/openapi.json' });
    const { paths } = JSON.parse(payload) as { paths: Record<string, Record<string, Operation>> };
    const wrong: string[] = [];
    let refused = 0;
    const before = await logged();
    for (const { method, url, access } of maceRoutes) {
      if (access === 'public' || ['GET', 'HEAD'].includes(method)) continue;
      const operation = paths[url.replace(/:([a-z_]+)/g, '{$1}')]?.[method.toLowerCase()];
      if (operation && takesIfMatch(operation)) continue;
      const isLocal = permissionOf(access).localOnly === true;
      const call = async () =>
        await app.parts.app.fastify.inject({
          method: method as 'GET',
          url: url.replace(/:[a-z_]+/g, 'x'),
          headers: { 'if-match': '"3"', ...(isLocal ? {} : { authorization: `Bearer ${await everyRole()}` }) },
        });
      const answer = await (isLocal ? asLocal(call) : call());
      const { developer_message, error } = JSON.parse(answer.payload) as Refused;
      const said = developer_message ?? error?.message ?? '';
      // JSON-RPC says by its error, and not by the status, that it was refused.
      const isRefused = error ? url === '/a2a' && answer.statusCode === 200 : answer.statusCode === 400;
      if (isRefused && said.startsWith('If-Match: this route')) refused++;
      else wrong.push(`${method} ${url}: ${answer.statusCode} ${said}`);
    }
    expect(wrong).toEqual([]);
    expect(refused).toBeGreaterThan(25);
    expect((await logged()) - before).toBeLessThan(refused);
  });

  it('is passed by where something is read: nothing is written over it', async () => {
    const { job_id } = await job();
    for (const at of [`/jobs/${job_id}`, '/jobs']) {
      expect(told(await tuff.get<Body>(at, { 'if-match': '"999999"' }))).toBe('200 done');
    }
  });

  it('of what takes the council later, or of what is not there yet, is refused in words', async () => {
    const node_id = `agent:held${fresh()}_v1`;
    await ada.send('POST', '/module/register', { node_id, type: 'agent', display_name: 'Held', version: '1' });
    const payload = { new_apt: 0.4, reason: 'measured anew' };
    const override = { node_id, event_type: 'MANUAL_OVERRIDE', payload };
    const root = await app.caller('root', ['superadmin'], ['otp']);
    const held = await root.send('POST', '/apt/event', override, { 'if-match': '"0"' });
    expect([held.status, held.body.developer_message]).toEqual([400, expect.stringMatching(/^If-Match: an override/)]);
    const anew = { kind: 'sem_put', payload: { action: 'sem_put', key: 'world/a/b/d', value: 1 }, justification: 'x' };
    const unmade = await root.send('POST', '/superadmin/override', anew, { 'if-match': '"0"' });
    expect([unmade.status, unmade.body.developer_message]).toEqual([
      400,
      expect.stringMatching(/^If-Match: of a request that is there already/),
    ]);
  });

  it('holds what can be done once to the revision that was read', async () => {
    const node_id = `tool:held${fresh()}`;
    await ada.send('POST', '/module/register', { node_id, type: 'tool', display_name: 'Held', version: '1' });
    await ada.send('POST', '/events/failure', { event_type: 'POLICY_VIOLATION', node_id, details: { action: 'x' } });
    await heldOnce(`/modules/${node_id}`, (headers) => ada.send('POST', `/modules/${node_id}/restore`, {}, headers));

    await (await app.caller('vera')).get('/jobs');
    const identity_proof = { document_ref: 'letter-7', reason: 'asked for it in writing' };
    const filed = await ada.send<Body>('POST', '/dsr/request', { kind: 'delete', user_id: 'vera', identity_proof });
    const dsr = `/dsr/${String(filed.body['dsr_id'])}`;
    await heldOnce(dsr, (headers) => council[0]!.send('POST', `${dsr}/approve`, undefined, headers));

    const low = { kind: 'maintenance', payload: { action: 'maintenance', what: 'a test' }, justification: 'x' };
    const asked = await oscar.send<Body>('POST', '/actionrequest/create', low);
    const request = `/actionrequest/${String(asked.body['request_id'])}`;
    const { proposal_digest } = asked.body;
    await heldOnce(request, (headers) => ada.send('POST', `${request}/approve`, { proposal_digest }, headers));
  });

  it('holds the end of a rebuild and of a sweep to what was decided of them, and progress moves neither tag', async () => {
    const { body: begun } = await oscar.send<Body>('POST', '/projections/jobs/rebuild', { reason: 'a test' });
    const at = `/projections/jobs/rebuilds/${String(begun['rebuild_id'])}`;
    await until(async () => (await oscar.get<Body>(at)).body['state'] === 'ready');
    const tag = String((await oscar.get(at)).headers['etag']);
    expect(String((await oscar.get(at)).headers['etag'])).toBe(tag);
    expect(told(await oscar.send('POST', `${at}/swap`, {}, { 'if-match': '"0"' }))).toBe('412 PRECONDITION_FAILED');
    expect(told(await oscar.send('POST', `${at}/swap`, {}, { 'if-match': tag }))).toBe('200 done');
    expect(told(await oscar.send('POST', `${at}/rollback`, {}, { 'if-match': tag }))).toBe('412 PRECONDITION_FAILED');
    // Nothing would be written: there is nothing to lose.
    expect(told(await oscar.send('POST', `${at}/swap`, {}, { 'if-match': tag }))).toBe('200 done');

    const { body: sweep } = await auditor.send<Body>('POST', '/replay/sweeps', {});
    const swept = `/replay/sweeps/${String(sweep['sweep_id'])}`;
    const first = String((await auditor.get(swept)).headers['etag']);
    await until(async () => (await auditor.get<Body>(swept)).body['state'] === 'done');
    const last = String((await auditor.get(swept)).headers['etag']);
    // Nothing would be written: there is nothing to lose.
    expect(told(await auditor.send('POST', `${swept}/cancel`, {}, { 'if-match': first }))).toBe('200 done');
    expect(told(await auditor.send('POST', `${swept}/cancel`, {}, { 'if-match': last }))).toBe('200 done');
    expect([first, last].every((one) => /^"\d+"$/.test(one))).toBe(true);
  });
});

interface Refused {
  readonly developer_message?: string;
  readonly error?: { readonly message: string };
}

interface Operation {
  readonly parameters?: readonly { readonly $ref?: string; readonly name?: string }[];
  readonly responses: Readonly<Record<string, { readonly headers?: object } | undefined>>;
}

function takesIfMatch({ parameters = [] }: Operation): boolean {
  return parameters.some(({ $ref, name }) => name === 'If-Match' || $ref?.endsWith('/If-Match') === true);
}

function everyRole(): Promise<string> {
  const order = { userId: 'ursa', roles: ROLES, ttlSeconds: 3600, issuer: 'mace', audience: 'mace', amr: ['otp'] };
  return signToken(app.parts.platform.ring, { ...order, now: Date.now() });
}
