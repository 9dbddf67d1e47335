import { canonicalize, traceId, type DomainEvent } from '#lib/kernel';

import { MemoryEventStore } from '../../event-store/src/memory/memory-event-store.js';
import { jobStream } from './domain/jobs.events.js';
import type { EngineInput } from './engine/input.js';
import type { NumberedEvent } from './engine/recorder.js';
import { emptyHistory, HistoryDiffersError, JobRun, type LiveEffects } from './job-runner.js';
import { loadJob } from './job-store.js';
import { jobHouse, ScriptedEffects } from './testing/job-house.js';
import {
  answer,
  COLOR,
  engineInput,
  EVIDENCE,
  type InputOptions,
  runScripted,
  type Script,
} from './testing/scripted-job.js';

const ACTOR = { id: 'user_tuff', role: 'user' };
const WISH = answer('It is blue.', { evidence: [], memory_write: { key: COLOR, value: 'blue' } });
const REMEMBER = { query: 'Remember that my favorite color is blue' };
type House = ReturnType<typeof jobHouse>;

describe('running a job', () => {
  it('takes one append where nothing leaves the process', async () => {
    const { house, appends } = counted();
    await run(house, engineInput(), new ScriptedEffects());
    expect(appends).toEqual([13]);
  });

  it('stores what happened before a write to memory begins, and the rest with the seal', async () => {
    const { house, appends } = counted();
    const effects = new ScriptedEffects({ turns: [WISH] });
    const before: number[] = [];
    await run(
      house,
      engineInput(REMEMBER),
      watching(effects, 'write_memory', async () => before.push(await versionOf(house))),
    );
    expect(before).toEqual([7]);
    expect(appends).toEqual([7, 8]);
  });

  it('stores what happened before an agent outside the process is asked', async () => {
    const { house, appends } = counted();
    await run(house, engineInput(), new ScriptedEffects({}, true));
    expect(appends).toEqual([5, 8]);
  });

  it('stores a stream that reads back as what it answered, one chain of causes, the digest on the first event', async () => {
    const house = jobHouse();
    const input = engineInput(REMEMBER);
    const events = await run(house, input, new ScriptedEffects({ turns: [WISH] }));
    const job = await loadJob(house.log, input.accepted.job_id);
    expect(job!.history.events.map(textOf)).toEqual(events.map(textOf));
    const metadata = job!.events.map((event) => event.metadata);
    expect(metadata.map((m) => m.$causationId)).toEqual([undefined, ...metadata.map((m) => m.event_id).slice(0, -1)]);
    expect(metadata.map((m) => m.request_digest)).toEqual(['digest', ...metadata.slice(1).map(() => undefined)]);
    expect(new Set(metadata.map((m) => [m.trace_id, m.job_id, m.actor.id].join()))).toEqual(
      new Set([[traceId('seed-1'), input.accepted.job_id, 'user_tuff'].join()]),
    );
  });
});

describe('a job that a crash left behind', () => {
  const OVERSTEP = { kind: 'violation', action: 'sem.read', evidence_ref: EVIDENCE } as const;
  const SCRIPTS: readonly (readonly [string, InputOptions, Script])[] = [
    ['with an answer', {}, {}],
    ['with a write', REMEMBER, { turns: [WISH] }],
    ['with a crash and a fallback', {}, { turns: [{ kind: 'exception', reason: 'x' }, answer()] }],
    ['with an overstep and a fallback', {}, { turns: [OVERSTEP, answer()] }],
    ['with a write that its policy does not allow', {}, { turns: [WISH, answer()] }],
  ];

  it.each(SCRIPTS)('%s is the same job in the end, whichever event was the last', async (_, asked, script) => {
    const input = engineInput(asked);
    const whole = runScripted(input, script).events;
    for (let kept = 1; kept < whole.length; kept++) {
      const house = jobHouse();
      await storePrefix(house, input, whole.slice(0, kept));
      const job = (await loadJob(house.log, input.accepted.job_id))!;
      const events = await new JobRun(house.log, skipping(script, whole, kept), input, job.history, options()).toSeal();
      expect(events.map(textOf)).toEqual(whole.map(textOf));
      const again = await loadJob(house.log, input.accepted.job_id);
      expect(again!.history.events.map(textOf)).toEqual(whole.map(textOf));
      expect(again!.sealed).toBe(true);
    }
  });

  it('is not continued where its record is not what this engine would have written', async () => {
    const house = jobHouse();
    const input = engineInput();
    const whole = runScripted(input).events;
    const altered = { ...whole[1]!, data: { ...whole[1]!.data, engine_version: 0 } };
    await storePrefix(house, input, [whole[0]!, altered]);
    const { history } = (await loadJob(house.log, input.accepted.job_id))!;
    const running = new JobRun(house.log, new ScriptedEffects(), input, history, options()).toSeal();
    await expect(running).rejects.toThrow(HistoryDiffersError);
    expect(await versionOf(house)).toBe(2);
  });
});

function options() {
  return { actor: ACTOR, requestDigest: 'digest' };
}

function run(house: House, input: EngineInput, effects: LiveEffects): Promise<readonly NumberedEvent[]> {
  return new JobRun(house.log, effects, input, emptyHistory(input.accepted.job_id), options()).toSeal();
}

function counted() {
  const store = new MemoryEventStore();
  const appends: number[] = [];
  const append = store.append.bind(store);
  jest.spyOn(store, 'append').mockImplementation((stream, expected, events) => {
    appends.push(events.length);
    return append(stream, expected, events);
  });
  return { house: jobHouse({ store }), appends };
}

function watching(effects: ScriptedEffects, kind: string, look: () => Promise<unknown>): LiveEffects {
  return {
    leavesProcess: (effect) => effects.leavesProcess(effect),
    perform: async (effect) => {
      if (effect.kind === kind) await look();
      return effects.perform(effect);
    },
  };
}

/** A world that has answered already whatever the first events record. */
function skipping(script: Script, whole: readonly NumberedEvent[], kept: number): ScriptedEffects {
  const effects = new ScriptedEffects(script);
  const results = {
    AGENT_OUTPUT: 'invoke_agent',
    AGENT_EXCEPTION: 'invoke_agent',
    MEMORY_WRITE_REQUESTED: 'prepare_write',
    POLICY_VIOLATION: refusedWrite(whole) ? 'keep_evidence' : 'invoke_agent',
  } as const;
  for (const { type } of whole.slice(0, kept)) {
    const kind = results[type as keyof typeof results];
    if (kind) void effects.perform({ kind } as never);
  }
  return effects;
}

/** Whether what was refused is an answer's wish, and no action of its turn. */
function refusedWrite(whole: readonly NumberedEvent[]): boolean {
  return whole.some(({ type, data }) => type === 'POLICY_VIOLATION' && data['action'] === 'sem.write');
}

async function storePrefix(house: House, input: EngineInput, events: readonly NumberedEvent[]): Promise<void> {
  const { head } = await house.log.load(jobStream(input.accepted.job_id));
  const runs: NumberedEvent[][] = [];
  for (const event of events) {
    const last = runs.at(-1);
    if (last && last.at(-1)!.sequenceIndex + 1 === event.sequenceIndex) last.push(event);
    else runs.push([event]);
  }
  let at = head;
  for (const part of runs) {
    const { sequenceIndex } = part[0]!;
    const jobId = input.accepted.job_id;
    const by = { jobSeed: input.jobSeed, sequenceIndex, actor: ACTOR, traceId: traceId(input.jobSeed), jobId };
    at = (await house.log.append(at, part, by)).head;
  }
}

async function versionOf({ store }: House): Promise<number> {
  return store.streamVersion(jobStream(engineInput().accepted.job_id));
}

function textOf({ type, data }: DomainEvent): string {
  return canonicalize({ type, data });
}
