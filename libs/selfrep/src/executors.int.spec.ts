import type { ActionApproved, ActionRequested, ApprovedAction } from '#lib/governance';
import { MaceError, traceId, type JsonObject } from '#lib/kernel';

import { moduleExecutors } from './executors.js';
import { EVERYTHING } from './ports.js';
import { selfrepProcess, type SelfrepProcess } from './testing/selfrep-process.js';

const MATH = 'agent:math_v1';

function approved(payload: JsonObject & { action: string }, id = 'ar-1'): ApprovedAction {
  const seed = `after:action-executor:${id}`;
  return {
    requestId: id,
    action: payload.action,
    payload,
    requested: { justification: 'because', requested_by: 'user_ada' } as unknown as ActionRequested,
    approval: { approval_type: 'council_quorum' } as unknown as ActionApproved,
    now: Date.UTC(2026, 0, 1),
    provenance: (n) => ({
      jobSeed: seed,
      sequenceIndex: n,
      actor: { id: 'system', role: 'system' },
      traceId: traceId(seed),
    }),
  };
}

describe('what the council decides of modules', () => {
  let process: SelfrepProcess;
  beforeEach(async () => {
    process = selfrepProcess();
    await process.directory.start();
    await process.register(MATH);
  });
  afterEach(() => process.directory.stop());

  const executorOf = (action: string) =>
    moduleExecutors(process.governed, EVERYTHING).find((one) => one.action === action)!;
  const run = async (payload: JsonObject & { action: string }, id?: string) =>
    (await executorOf(payload.action).execute(approved(payload, id))).result;
  const typesOf = async (nodeId: string) => (await process.events(nodeId)).map(({ type }) => type);

  it('is carried out once, however often it is asked for', async () => {
    const quarantine = { action: 'module_quarantine', node_id: MATH, reason: 'harm' };
    expect(await run(quarantine)).toMatchObject({ node_id: MATH, status: 'quarantined' });
    expect(await run({ action: 'module_release', node_id: MATH }, 'ar-2')).toMatchObject({ status: 'offline' });
    // The first request comes again after a crash: it must not lock the module up once more.
    expect(await run(quarantine)).toMatchObject({ status: 'offline' });
    expect(await typesOf(MATH)).toEqual(['MODULE_REGISTERED', 'NODE_OFFLINE', 'MODULE_QUARANTINED', 'MODULE_RESTORED']);
    expect((await process.events(MATH))[2]!.data).toMatchObject({
      request_id: 'ar-1',
      authority: 'council',
      reason: 'harm',
    });
  });

  it('overrides trust, and changes a policy', async () => {
    expect(await run({ action: 'trust_override', node_id: MATH, new_apt: 0.9, reason: 'audit' })).toMatchObject({
      apt: 0.9,
    });
    const policy = { allowed_actions: ['compute', 'sem.write'], forbidden_actions: [] };
    await run({ action: 'module_policy', node_id: MATH, policy }, 'ar-2');
    expect((await process.streams.read(MATH)).module).toMatchObject({ policy, health: { apt: 0.9 } });
    await expect(
      run({ action: 'trust_override', node_id: MATH, new_apt: NaN, reason: 'x' }, 'ar-3'),
    ).rejects.toMatchObject({ code: 'INVALID_INPUT' });
  });

  it('registers a module that may write to memory, with everything it says spelled out for the vote', async () => {
    const module = { node_id: 'agent:scribe_v1', type: 'agent', display_name: 'Scribe', version: '1' };
    const policy = { allowed_actions: ['sem.write'], forbidden_actions: [] };
    const payload = { action: 'module_register', module: { ...module, policy } };
    const asked = (await executorOf('module_register').check!(payload)) as JsonObject;
    expect(asked['module']).toMatchObject({ agent_id: 'scribe_agent', capabilities: [], dependencies: [], policy });
    await run(asked as typeof payload);
    await run(asked as typeof payload);
    const { module: made } = await process.streams.read('agent:scribe_v1');
    expect(made).toMatchObject({ policy, registration: { registered_by: 'user_ada' } });
    await expect(executorOf('module_register').check!(payload)).rejects.toMatchObject({ code: 'IMMUTABLE_FIELD' });
  });

  it.each(['http', 'a2a'])('takes no card of whoever proposes an endpoint of kind %s', async (kind) => {
    const card = { sha256: 'a'.repeat(64), version: '1', url: 'https://agents.example/rpc' };
    const endpoint = { kind, url: 'https://agents.example/', card };
    const module = { node_id: 'agent:poet_v1', type: 'agent', display_name: 'Poet', version: '1', endpoint };
    const ONLY = 'INVALID_INPUT: endpoint: only kind, url, secret_ref, public_key';
    expect([
      await check({ action: 'agent_endpoint', node_id: MATH, endpoint }),
      await check({ action: 'module_register', module }),
    ]).toEqual([ONLY, ONLY]);
  });

  it('is refused before anybody votes where the card of an agent leads to what is no endpoint', async () => {
    const card = { sha256: 'a'.repeat(64), version: '1', url: 'https://ann:secret@agents.example/rpc' };
    const endpoint = { kind: 'a2a', url: 'https://agents.example/' } as const;
    const described = () => Promise.resolve({ endpoint: { ...endpoint, card } });
    const executors = moduleExecutors(process.governed, { ...EVERYTHING, described });
    const module = { node_id: 'agent:poet_v1', type: 'agent', display_name: 'Poet', version: '1', endpoint };
    const payloads: JsonObject[] = [
      { action: 'agent_endpoint', node_id: MATH, endpoint },
      { action: 'module_register', module },
    ];
    for (const payload of payloads) {
      const { check } = executors.find(({ action }) => action === payload['action'])!;
      expect(await told(check!(payload))).toBe('INVALID_INPUT: endpoint.card: {sha256, version, url, key}');
    }
  });

  it.each<JsonObject>([
    { endpoint: { kind: 'http', url: 'https://agents.example/' } },
    { prompt: { system: 'You calculate.' } },
  ])(
    'is refused before anybody votes where an agent that is no part of the system has the name of one: %j',
    async (target) => {
      const module = { node_id: 'agent:math_v2', type: 'agent', display_name: 'Maths', version: '2' };
      const OTHER = 'INVALID_INPUT: agent_id: math_agent is of the system; another of ^[a-z0-9][a-z0-9_]{0,63}$';
      await run({ action: 'module_register', module });
      expect([
        await check({ action: 'agent_endpoint', node_id: module.node_id, ...target }),
        await check({ action: 'module_register', module: { ...module, node_id: 'agent:math_v3', ...target } }),
        await check({ action: 'module_register', module: { ...module, node_id: 'agent:math_v4' } }),
      ]).toEqual([OTHER, OTHER, 'nothing']);
    },
  );

  it('is refused before anybody votes where the module is not there', async () => {
    const FORM = { policy: { allowed_actions: [], forbidden_actions: [] }, new_apt: 0.5, reason: 'x' };
    for (const action of ['module_quarantine', 'module_release', 'module_policy', 'trust_override']) {
      await expect(executorOf(action).check!({ action, node_id: 'agent:nobody', ...FORM })).rejects.toMatchObject({
        code: 'NOT_FOUND',
      });
    }
  });

  const told = async (doing: unknown): Promise<string> => {
    try {
      await doing;
    } catch (error) {
      if (error instanceof MaceError) return `${error.code}: ${error.developerMessage}`;
      throw error;
    }
    return 'nothing';
  };
  const check = (payload: JsonObject & { action: string }) => told(executorOf(payload.action).check!(payload));

  it('is refused before anybody votes, and fails where it was done meanwhile, if it would change nothing', async () => {
    const policy = { allowed_actions: ['compute'], forbidden_actions: [] };
    const [quarantine, release, narrow] = [
      { action: 'module_quarantine', node_id: MATH },
      { action: 'module_release', node_id: MATH },
      { action: 'module_policy', node_id: MATH, policy },
    ];
    const LOCKED = `CONFLICT: ${MATH} is quarantined already`;
    const degraded = `CONFLICT: ${MATH} is degraded; only a quarantined module can be released`;
    expect([await check(release), await told(run(release, 'ar-0'))]).toEqual([degraded, degraded]);
    expect([await check(quarantine), await check(narrow)]).toEqual(['nothing', 'nothing']);
    await run(quarantine);
    await run(narrow, 'ar-2');
    expect([await check(quarantine), await told(run(quarantine, 'ar-3'))]).toEqual([LOCKED, LOCKED]);
    const same = `CONFLICT: the policy of ${MATH} says this already`;
    expect([await check(narrow), await told(run(narrow, 'ar-4'))]).toEqual([same, same]);
    // The same approval again is the same change.
    expect(await told(run(narrow, 'ar-2'))).toBe('nothing');
    await run(release, 'ar-5');
    const offline = `CONFLICT: ${MATH} is offline; only a quarantined module can be released; an admin restores it`;
    expect([await check(release), await told(run(release, 'ar-6'))]).toEqual([offline, offline]);
    expect(await typesOf(MATH)).toEqual([
      'MODULE_REGISTERED',
      'NODE_OFFLINE',
      'MODULE_QUARANTINED',
      'MODULE_CHANGED',
      'MODULE_RESTORED',
    ]);
  });

  it('registers nothing under a node_id that was taken while people voted, and says so', async () => {
    const module = { node_id: 'tool:late', type: 'tool', display_name: 'Late', version: '1' };
    const payload = { action: 'module_register', module };
    expect(await check(payload)).toBe('nothing');
    await process.register('tool:late');
    expect(await told(run(payload))).toBe(
      'IMMUTABLE_FIELD: ImmutableFieldError: Cannot modify registration of tool:late.',
    );
    expect(await typesOf('tool:late')).toEqual(['MODULE_REGISTERED']);
  });

  it.each<[JsonObject & { action: string }, string]>([
    [
      { action: 'module_policy', node_id: MATH, policy: {} },
      'payload.policy: {allowed_actions, forbidden_actions}, both lists of texts',
    ],
    [
      { action: 'module_policy', node_id: MATH, policy: { allowed_actions: 'x', forbidden_actions: [] } },
      'payload.policy: {allowed_actions, forbidden_actions}, both lists of texts',
    ],
    [
      { action: 'module_policy', node_id: MATH, policy: { allowed_actions: ['A b'], forbidden_actions: [] } },
      'policy.allowed_actions: at most 64 of ^[a-z][a-z0-9_.-]{0,63}$',
    ],
    [
      { action: 'trust_override', node_id: MATH, new_apt: 2, reason: 'x' },
      'payload.new_apt: a number from 0 to 1 with at most 9 decimals',
    ],
    [
      { action: 'trust_override', node_id: MATH, new_apt: 0.5, reason: ' ' },
      'payload.reason: text of 1 to 4000 characters',
    ],
  ])('is refused for the form of %j', async (payload, why) => {
    expect(await check(payload)).toBe(`INVALID_INPUT: ${why}`);
  });
});
