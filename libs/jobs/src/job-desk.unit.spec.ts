import type { CommandContext } from '#lib/access';
import { SNAPSHOT_KINDS, type SnapshotSet, type Snapshots } from '#lib/governance';
import { commandSeed, eventId, jobId, MaceError, traceId } from '#lib/kernel';

import { MemoryEventStore } from '../../event-store/src/memory/memory-event-store.js';
import { MemorySubjectKeys } from '../../event-store/src/memory/memory-subject-keys.js';
import { Ask, AskHandler, type AskRequest } from './commands/ask.js';
import { jobStream } from './domain/jobs.events.js';
import { ENGINE_VERSION } from './engine/engine-version.js';
import { JobDesk } from './job-desk.js';
import { JobInputs } from './job-inputs.js';
import type { LiveEffects } from './job-runner.js';
import { finishLeftJobs } from './recovery.js';
import { jobHouse, ScriptedEffects } from './testing/job-house.js';
import { answer, engineInput, runScripted, type Script, votesOf } from './testing/scripted-job.js';

const NOW = Date.UTC(2026, 0, 1);
const SEED = 'seed-1';
const PATIENCE = 30_000;

describe('a request that comes twice', () => {
  it('at once is one job, whose answer both get', async () => {
    const { ask, effects, version } = house();
    const [first, second] = await Promise.all([ask(), ask()]);
    expect(second).toEqual(first);
    expect(effects.asked.filter(({ kind }) => kind === 'invoke_agent')).toHaveLength(1);
    expect(await version()).toBe(13);
  });

  it('in two processes at once is one job, whose answer both get', async () => {
    const { store, keys, ask } = house();
    const other = house({ store, keys });
    const [first, second] = await Promise.all([ask(), other.ask({}, { now: NOW + 5 })]);
    expect(second).toEqual(first);
  });

  it('in a second process that looked before the first one wrote gets the first one’s answer', async () => {
    const { store, keys, ask } = house();
    const other = house({ store, keys });
    let first: unknown;
    // The first look of the other process sees no job; before it goes on, the whole job is made and sealed.
    const load = other.desk.sameRequest.bind(other.desk);
    jest.spyOn(other.desk, 'sameRequest').mockImplementationOnce(async (...request) => {
      const nothing = await load(...request);
      first = await ask();
      return nothing;
    });
    expect(await other.ask({}, { now: NOW + 5 })).toEqual(first);
  });

  describe('while another process runs its job', () => {
    /** One that has begun it, and asks an agent that is elsewhere; and one that is asked for the same. */
    async function two(isLeft: () => Promise<boolean>) {
      const { store, keys } = house();
      const inner = new ScriptedEffects({}, true);
      const gate = gated(inner);
      const first = house({ store, keys, effects: gate.effects });
      const second = new ScriptedEffects({}, true);
      const other = house({ store, keys, effects: second, elsewhere: { isLeft, pauseMs: 5 } });
      const running = first.ask();
      while ((await first.version()) === 0) await new Promise((resume) => setImmediate(resume));
      return { ...gate, running, other, second };
    }

    it('waits for its seal and asks no agent a second time', async () => {
      const looks: string[] = [];
      const { open, running, other, second } = await two(() => {
        if (looks.push('look') === 3) open();
        return Promise.resolve(false);
      });
      const answer = await other.ask({}, { now: NOW + 5 });
      expect(answer).toEqual(await running);
      expect(second.asked).toEqual([]);
      expect(looks.length).toBeGreaterThanOrEqual(3);
    });

    it('is told that it runs where it does not want to wait, and with another body that it is refused', async () => {
      const { open, running, other, second } = await two(() => Promise.resolve(false));
      expect(await other.ask({}, { patience: 0 })).toMatchObject({ status: 'running', job_id: jobId(SEED) });
      await expect(other.ask({}, { digest: 'd2' })).rejects.toMatchObject({ code: 'JOB_SEED_CONFLICT' });
      open();
      await running;
      expect(second.asked).toEqual([]);
    });

    it('is answered by its own process once the other one counts as silent', async () => {
      const { open, running, other, second } = await two(() => Promise.resolve(true));
      const answer = await other.ask({}, { now: NOW + 5 });
      expect(second.asked.some(({ kind }) => kind === 'invoke_agent')).toBe(true);
      open();
      expect(await running).toEqual(answer);
    });
  });

  it('with another body is refused, in a second process that looked too early as well', async () => {
    const { store, keys, ask } = house();
    const other = house({ store, keys });
    jest.spyOn(other.desk, 'sameRequest').mockImplementationOnce(async () => {
      await ask();
      return null;
    });
    const eve = other.ask({}, { who: 'user_eve' });
    await expect(eve).rejects.toMatchObject({ code: 'JOB_SEED_CONFLICT' });
    await expect(other.ask({ query_text: 'Another?' }, { digest: 'd2' })).rejects.toMatchObject({
      code: 'JOB_SEED_CONFLICT',
    });
    await expect(
      eve.catch((error: MaceError) => JSON.stringify([error.developerMessage, error.meta])),
    ).resolves.not.toMatch(/tuff|color/);
  });
});

describe('a seed', () => {
  it.each(['cmd:x', 'after:x', 'system:x', 'replay:x', '', 'a b', 'x'.repeat(129), 'é'])(
    'may not be %j',
    async (job_seed) => {
      await expect(house().ask({ job_seed })).rejects.toMatchObject({ code: 'INVALID_INPUT' });
    },
  );

  it('is the command’s own where none is given', async () => {
    const { ask } = house();
    const result = await ask({ job_seed: undefined });
    expect(result.job_seed).toBe(commandSeed('user_tuff', 'POST', '/jobs', 'k'));
    expect(result.job_id).toBe(jobId(result.job_seed));
  });
});

it('a job runs on the BrainState snapshot that the same person made under its seed, and on no other’s', async () => {
  const brainstateOf = async (call: Call, job_seed: string) =>
    (await house().ask({ job_seed }, call)).snapshots['brainstate'];
  expect(await brainstateOf({}, 'seed-own')).toBe('own');
  expect(await brainstateOf({ who: 'TUFF' }, 'seed-other')).toBe('brainstate');
  expect(await brainstateOf({ who: 'eve' }, 'seed-own')).toBe('brainstate');
});

it('a job whose outputs are not to be kept is refused before anything is stored while outside critics keep them', async () => {
  const { ask, store, desk } = house();
  const { answer_council, ...limits } = desk.inputs.limits;
  const critics = [{ critic_id: 'ann', weight: 1, outside: true as const }];
  const seated = { ...limits, answer_council: { ...answer_council, critics } };
  const limitsNow = jest.spyOn(desk.inputs, 'limits', 'get').mockReturnValue(seated);
  await expect(ask({ persist_agent_outputs: false })).rejects.toMatchObject({ code: 'INVALID_INPUT' });
  expect(await store.head()).toBe('0');
  limitsNow.mockRestore();
  expect(await ask({ persist_agent_outputs: false })).toMatchObject({ status: 'completed', replayable: true });
});

it('a query over 8,000 characters is refused before anything is stored', async () => {
  const { ask, store } = house();
  await expect(ask({ query_text: 'x'.repeat(8001) })).rejects.toMatchObject({ code: 'INVALID_INPUT' });
  expect(await store.head()).toBe('0');
});

it('a job for somebody else is an admin’s to ask', async () => {
  await expect(house().ask({ user_id: 'eve' })).rejects.toMatchObject({ code: 'PERMISSION_DENIED' });
  expect(await house().ask({ user_id: 'TUFF' })).toMatchObject({ status: 'completed' });
});

describe('a job that takes longer than its caller waits', () => {
  it('is stored before its caller is told that it runs, and ends all the same', async () => {
    const gate = gated(new ScriptedEffects());
    const { ask, version, desk } = house({ effects: gate.effects });
    const begun = await ask({}, { patience: 0 });
    expect(begun).toMatchObject({ status: 'running', user_message: null, log_id: null });
    expect(await version()).toBe(5);
    gate.open();
    expect(await ask()).toMatchObject({ status: 'completed' });
    expect(await version()).toBe(13);
    expect((await desk.load(begun.job_id))!.sealed).toBe(true);
  });

  it('is not waited for once the process stops', async () => {
    const gate = gated(new ScriptedEffects());
    const { ask, desk } = house({ effects: gate.effects });
    const asking = ask();
    setImmediate(() => void desk.close());
    expect(await asking).toMatchObject({ status: 'running' });
    gate.open();
  });
});

describe('a person who is being erased', () => {
  it('has their running jobs ended where they are, and nobody else has', async () => {
    const gate = gated(new ScriptedEffects());
    const { ask, desk, version } = house({ effects: gate.effects });
    expect(await ask({}, { patience: 0 })).toMatchObject({ status: 'running' });
    const others = ask({ job_seed: 'seed-of-eve' }, { who: 'user_eve' });
    await desk.leaveAllOf('user_tuff');
    gate.open();
    expect(await others).toMatchObject({ status: 'completed' });
    expect(await version()).toBe(5);
  });
});

describe('a process that stops', () => {
  const DECLINED = { kind: 'declined', reason: 'the calculator is closed', time_ms: 1 } as const;

  it('leaves a running job as it was stored, whatever its closing agent says, and the next start completes it', async () => {
    const gate = gated(new ScriptedEffects({ turns: [DECLINED] }));
    const { ask, desk, store, keys, version } = house({ effects: gate.effects });
    expect(await ask({}, { patience: 0 })).toMatchObject({ status: 'running' });
    const closed = desk.close();
    gate.open();
    await closed;
    expect(await version()).toBe(5);
    const next = house({ store, keys });
    const left = { list: () => Promise.resolve([jobId(SEED)]) };
    expect(await finishLeftJobs(next.desk, left)).toEqual({ finished: 1, left: [] });
    expect(await next.ask()).toMatchObject({ status: 'completed', final_answer: 'Your favorite color is blue.' });
    expect(await version()).toBe(13);
  });

  it('answers that a job runs only when it is stored, one that comes while it stops too', async () => {
    const gate = gated(new ScriptedEffects({ turns: [DECLINED] }));
    const { ask, desk, version } = house({ effects: gate.effects });
    const asking = ask();
    setImmediate(() => {
      void desk.close();
      gate.open();
    });
    expect(await asking).toMatchObject({ status: 'running' });
    expect(await version()).toBe(5);
    const late = await ask({ job_seed: 'seed-late' });
    expect(late).toMatchObject({ status: 'running' });
    expect((await desk.load(late.job_id))!.sealed).toBe(false);
  });

  it('takes no left job up any more', async () => {
    const left = await leftBehind(6);
    await left.desk.close();
    const unfinished = { list: () => Promise.resolve([jobId(SEED)]) };
    expect(await finishLeftJobs(left.desk, unfinished)).toEqual({ finished: 0, left: [] });
    expect(await left.version()).toBe(6);
  });
});

describe('a job that a crash left behind', () => {
  it('is taken to its seal by whoever asks for it again', async () => {
    const left = await leftBehind(6);
    expect(await left.ask()).toMatchObject({ status: 'completed', final_answer: 'Your favorite color is blue.' });
    expect(left.effects.asked.map(({ kind }) => kind)).toEqual(['collect_votes']);
  });

  it('is answered with what another process wrote that took it to its seal meanwhile', async () => {
    const { left, result } = await leftToTwo();
    expect(await left.ask()).toEqual(await result());
  });

  it('is not told as left where another process took it to its seal meanwhile', async () => {
    const { left } = await leftToTwo();
    const unfinished = { list: () => Promise.resolve([jobId(SEED)]) };
    expect(await finishLeftJobs(left.desk, unfinished)).toEqual({ finished: 0, left: [] });
  });

  it('is closed as failed where this release computes something else, and says that it cannot be replayed', async () => {
    const left = await leftBehind(6, { pinned: { engine_version: 0 } });
    await expectClosed(left, 'this release computes another event 1', 'record:1');
  });

  it('is closed as failed where what it was asked was erased', async () => {
    const left = await leftBehind(6);
    await left.keys.destroyAllOf('user_tuff');
    left.ciphers.forget('user_tuff');
    await expectClosed(left, 'what it was asked was erased', 'input:query_text');
  });

  it('is closed as failed where a snapshot that it pinned is gone', async () => {
    const left = await leftBehind(6, {
      load: () => Promise.reject(new MaceError('MISSING_SNAPSHOT', 'snapshot r is not stored', { snapshot_id: 'r' })),
    });
    await expectClosed(left, 'snapshot r is not stored', 'snapshot:r');
  });

  describe('that keeps no outputs of outside engines', () => {
    const UNKEPT = { accepted: { persist_agent_outputs: false } } as const;
    const TURN = answer('It was blue.', { output_hash: 'a'.repeat(64) });
    const WHY = 'what an outside engine said was not kept, as the job asked';
    const idAt = (index: number, type: string): string => eventId(SEED, index, type);

    it('is closed as failed where an engine had spoken, and names what is gone', async () => {
      const left = await leftBehind(6, { of: UNKEPT, script: { turns: [TURN] } });
      await expectClosed(left, WHY, `agent_output:${idAt(5, 'AGENT_OUTPUT')}`);
    });

    it('is closed as failed where an engine had been asked: it is not asked again', async () => {
      const effects = new ScriptedEffects({}, true);
      const left = await leftBehind(5, { of: UNKEPT, effects });
      await expectClosed(left, WHY, `agent_output:${idAt(4, 'AGENT_INVOKED')}`);
      expect(effects.asked).toEqual([]);
    });

    it('is finished where no engine had been asked, or only agents of this house', async () => {
      const unasked = await leftBehind(4, { of: UNKEPT, effects: new ScriptedEffects({}, true) });
      expect(await unasked.ask()).toMatchObject({ status: 'completed' });
      const inside = await leftBehind(6, { of: UNKEPT });
      expect(await inside.ask()).toMatchObject({ status: 'completed', replayable: true });
    });
  });

  it('is left as it is while a snapshot that it pinned is halted, and finished after', async () => {
    let halted = true;
    const left = await leftBehind(6, {
      refuse: async () => {
        if (halted) throw new MaceError('INTEGRITY_FAILURE', 'snapshot router is halted');
      },
    });
    const unfinished = { list: () => Promise.resolve([jobId(SEED)]) };
    expect(await finishLeftJobs(left.desk, unfinished)).toEqual({
      finished: 0,
      left: [{ job_id: jobId(SEED), reason: 'INTEGRITY_FAILURE' }],
    });
    await expect(left.ask()).rejects.toMatchObject({ code: 'INTEGRITY_FAILURE' });
    expect(await left.version()).toBe(6);
    halted = false;
    expect(await left.ask()).toMatchObject({ status: 'completed' });
  });

  it('is left to a process of the newer release whose engine began it', async () => {
    const left = await leftBehind(6, { pinned: { engine_version: ENGINE_VERSION + 1 } });
    const unfinished = { list: () => Promise.resolve([jobId(SEED)]) };
    expect(await finishLeftJobs(left.desk, unfinished)).toEqual({
      finished: 0,
      left: [{ job_id: jobId(SEED), reason: 'NewerReleaseError' }],
    });
    expect(await left.version()).toBe(6);
  });
});

async function expectClosed(left: ReturnType<typeof house>, reason: string, missing: string): Promise<void> {
  const stored = (await left.desk.load(jobId(SEED)))!;
  const running = await left.desk.resume(stored);
  expect(await running.result).toMatchObject({
    status: 'failed',
    final_answer: null,
    replayable: false,
    error: {
      error_code: 'AGENT_ERROR',
      developer_message: `the job was left unfinished and could not be continued: ${reason}`,
    },
  });
  expect(left.effects.asked).toEqual([]);
  const closed = (await left.desk.load(jobId(SEED)))!;
  expect(closed.sealed).toBe(true);
  expect(closed.events.at(-2)!.data['missing_artifacts']).toEqual([missing]);
  expect(closed.events.at(-1)!.data['count']).toBe(closed.events.length - 1);
  expect(closed.result).toEqual(await running.result);
}

/** A house whose store holds the first events of a job, as a process left it that crashed. */
async function leftBehind(kept: number, { pinned = {}, of = {}, script, ...options }: Left = {}) {
  const { store, keys, log, ciphers } = jobHouse();
  const snapshotIds = Object.fromEntries(SNAPSHOT_KINDS.map((kind) => [kind, kind]));
  const input = { ...engineInput({ jobSeed: SEED, ...of }), snapshotIds };
  const events = runScripted(input, script).events.slice(0, kept);
  const altered = events.map((event, i) => (i === 1 ? { ...event, data: { ...event.data, ...pinned } } : event));
  const by = { jobSeed: SEED, sequenceIndex: 0, traceId: traceId(SEED), jobId: jobId(SEED), requestDigest: 'd1' };
  const { head } = await log.load(jobStream(jobId(SEED)));
  await log.append(head, altered, { ...by, actor: { id: 'user_tuff', role: 'user' } });
  return { ...house({ store, keys, ...options }), ciphers };
}

interface Left extends Pick<Options, 'load' | 'refuse' | 'effects'> {
  /** What its SNAPSHOTS_PINNED says besides. */
  readonly pinned?: object;
  readonly of?: Parameters<typeof engineInput>[0];
  readonly script?: Script;
}

/** A left job that a second process, whose council says something else, takes to its seal once the first has read it. */
async function leftToTwo() {
  const left = await leftBehind(6);
  const { store, keys } = left;
  const other = house({ store, keys, effects: new ScriptedEffects({ votes: [votesOf([true, true], 0.8)] }) });
  const resume = left.desk.resume.bind(left.desk);
  jest.spyOn(left.desk, 'resume').mockImplementationOnce(async (stored) => {
    await other.ask();
    return resume(stored);
  });
  return { left, result: () => other.ask() };
}

interface Options {
  readonly store?: MemoryEventStore;
  readonly keys?: MemorySubjectKeys;
  readonly effects?: LiveEffects;
  readonly load?: Snapshots['load'];
  readonly refuse?: Snapshots['halts']['refuse'];
  readonly elsewhere?: { readonly isLeft: () => Promise<boolean>; readonly pauseMs: number };
}

interface Call {
  readonly who?: string;
  readonly digest?: string;
  readonly now?: number;
  readonly patience?: number;
}

/** One process's worth of jobs. */
function house({
  store = new MemoryEventStore(),
  keys = new MemorySubjectKeys(),
  effects,
  load,
  refuse = () => Promise.resolve(),
  elsewhere,
}: Options = {}) {
  const { log, ciphers } = jobHouse({ store, keys });
  const input = engineInput();
  const bodies = {
    router: input.router,
    brainstate: input.brainstate,
    governance: { ...input.limits, max_query_length: 8000 },
    safety: input.safety,
    selfrep: { modules: input.modules },
    privacy: {},
  };
  const kinds = Object.entries(bodies);
  const made = [...kinds, ['own', bodies.brainstate] as const];
  const set = Object.fromEntries(
    made.map(([kind, body]) => [kind, { snapshot_id: kind, body }]),
  ) as unknown as SnapshotSet;
  const scripted = new ScriptedEffects();
  const halts = { refuse };
  const find = async (id: string) => set[id as keyof SnapshotSet] ?? set.router;
  const snapshots = { loadOrHalt: load ?? find, halts } as unknown as Snapshots;
  const screen = {
    version: '1',
    find: () => [],
    redact: (text: string) => text,
    consentsFor: async () => null,
    areInForce: async () => true,
  };
  const brainStates = {
    forJob: (user: string, seed: string) => Promise.resolve(user === 'user_tuff' && seed === 'seed-own' ? 'own' : null),
  };
  const unattended = (): void => undefined;
  const world = effects ?? scripted;
  const inputs = new JobInputs(snapshots, set, brainStates, 'mace-test', screen);
  const desk = new JobDesk(log, inputs, world, screen, unattended, elsewhere);
  const handler = new AskHandler(desk);
  const ask = (request: Partial<AskRequest> = {}, call: Call = {}) => {
    const { who = 'user_tuff', digest = 'd1', now = NOW, patience = PATIENCE } = call;
    const body = { query_text: 'What is my favorite color?', job_seed: SEED, ...request };
    return handler.execute(new Ask(contextOf(who, digest, now), body, patience));
  };
  const version = () => store.streamVersion(jobStream(jobId(SEED)));
  return { store, keys, ciphers, desk, ask, version, effects: scripted };
}

function contextOf(who: string, requestDigest: string, now: number): CommandContext {
  const seed = commandSeed(who, 'POST', '/jobs', 'k');
  const principal = { id: who, roles: ['user'] as const, elevated: false };
  return { principal, actor: { id: who, role: 'user' }, seed, keyed: true, requestDigest, traceId: traceId(seed), now };
}

/** Effects that wait until a gate is opened. */
function gated(inner: ScriptedEffects) {
  let open = (): void => undefined;
  const opened = new Promise<void>((resolve) => (open = resolve));
  const effects: LiveEffects = {
    leavesProcess: (effect) => inner.leavesProcess(effect),
    perform: async (effect) => {
      await opened;
      return inner.perform(effect);
    },
  };
  return { effects, open: () => open() };
}
