import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import { Snapshots } from '#lib/governance';
import { systemSeed, traceId } from '#lib/kernel';
import { auditJob } from '#lib/replay';
import { GovernedModules } from '#lib/selfrep';

import { drive } from '../harness/callers.js';
import { message, start, stop } from '../harness/process.js';
import { atLeast, atMost, below, type Line, type Row } from '../harness/row.js';
import { interleave, median, pairedRatio, quantile } from '../harness/statistics.js';
import type { AgentReady } from './agent-process.js';
import { type AppSide, openAppSide } from './app-side.js';

const CALLERS = 64;
const MODULES = 1_000;
/** An agent's own time while turns are timed: long enough that the 64 do not stand in each other's way. */
const OWN_MS = 250;
const POEM = 'Write a poem about rain';
/** Asked of those that never answer. */
const PLAN = 'Plan a week of training for a marathon';
const SETTLED_MS = 2_000;

/**
 * Agents of other people: what a turn of one takes beyond the agent's own time; the rate of jobs of those that answer
 * while as many others hang; and the replay of such jobs without them, beside that of jobs of the system's agents.
 */
export const agentsElsewhere: Row = {
  name: 'agents-elsewhere',
  async run({ folder, rounds, scale, say }) {
    const side = await openAppSide(join(folder, 'data'), { MACE_AGENT_HOSTS: 'localhost' });
    try {
      const ids: string[] = [];
      const turns = await withAgent(async (url) => {
        await register(side, 'timed_v1', 'creative', url(String(OWN_MS)));
        await sleep(SETTLED_MS);
        say('turns of one agent');
        await drive({ callers: CALLERS, calls: Math.ceil(1_280 * scale) }, async (caller) => {
          ids.push((await side.answered(caller, POEM)).job_id);
        });
        const beyond: number[] = [];
        // The first ones warm the process up.
        for (const id of ids.slice(ids.length / 2)) beyond.push(await beyondOwn(side, id));
        return turnLine(Float64Array.from(beyond));
      });
      const replays = await replayed(side, { rounds, ids, say });
      const among = await withAgent(async (url) => {
        say(`registering ${MODULES} modules`);
        for (let i = 0; i < MODULES / 2; i++) {
          await register(side, `prompt${i}_v1`, 'creative', url('0'));
          await register(side, `hung${i}_v1`, 'strategy', url('hang'));
        }
        await sleep(SETTLED_MS);
        return amongHung(side, { rounds, jobs: Math.ceil(2_000 * scale), say });
      });
      return [turns, among, replays];
    } finally {
      await side.close();
    }
  },
};

/** @param work is given the address of what the agent does at a path */
async function withAgent<T>(work: (url: (path: string) => string) => Promise<T>): Promise<T> {
  const agent = start(new URL('agent-process.js', import.meta.url));
  try {
    const { port } = await message<AgentReady>(agent, 'ready');
    return await work((path) => `http://127.0.0.1:${port}/${path}`);
  } finally {
    await stop(agent);
  }
}

function turnLine(beyond: Float64Array): Line {
  const p50 = quantile(beyond, 0.5);
  return {
    name: 'turn of an agent elsewhere',
    unit: 'ms beyond its own time, p50',
    figure: p50,
    baseline: null,
    baselineName: '',
    ratio: null,
    aims: [below('p50 ms', p50, 3, 'time')],
    details: { 'p99 ms': quantile(beyond, 0.99), 'jobs at once': CALLERS, 'own ms': OWN_MS },
  };
}

async function register(side: AppSide, name: string, capability: string, url: string): Promise<void> {
  const jobSeed = systemSeed('bench', name);
  const provenance = {
    jobSeed,
    sequenceIndex: 0,
    actor: { id: 'bench', role: 'admin' },
    traceId: traceId(jobSeed),
  };
  await side.app.nest.get(GovernedModules).register(
    {
      node_id: `agent:${name}`,
      type: 'agent',
      display_name: name,
      version: '1.0.0',
      capabilities: [capability],
      endpoint: { kind: 'http', url },
    },
    'user_bench',
    { request_id: 'ar-bench', authority: 'council', reason: '', provenance, now: Date.now() },
  );
}

/** Milliseconds of a turn beyond what the agent says that it took itself. */
async function beyondOwn(side: AppSide, jobId: string): Promise<number> {
  const { events } = await side.platform.events.load(`job-${jobId}`, { personal: 'plain' });
  const { text, time_ms } = events.find(({ type }) => type === 'AGENT_OUTPUT')!.data as Record<string, unknown>;
  return Number(time_ms) - Number(/took ([\d.]+) ms/.exec(String(text))![1]);
}

interface Among {
  readonly rounds: number;
  readonly jobs: number;
  readonly say: (what: string) => void;
}

async function amongHung(side: AppSide, { rounds, jobs, say }: Among): Promise<Line> {
  const answered = async (): Promise<number> =>
    (await drive({ callers: CALLERS, calls: jobs }, (caller) => side.answered(caller, POEM))).perSecond;
  let mostSockets = 0;
  const before = process.memoryUsage.rss();
  let mostBytes = 0;
  const among = async (): Promise<number> => {
    const stopping = new AbortController();
    const hung = Array.from({ length: CALLERS }, async (_, i) => {
      while (!stopping.signal.aborted) await side.answered(CALLERS + i, PLAN).catch(() => undefined);
    });
    const watch = setInterval(() => {
      mostSockets = Math.max(mostSockets, sockets());
      mostBytes = Math.max(mostBytes, process.memoryUsage.rss() - before);
    }, 50);
    await sleep(SETTLED_MS);
    const rate = await answered();
    stopping.abort();
    await Promise.all(hung);
    clearInterval(watch);
    return rate;
  };
  const figures = await interleave({ answered, among }, { rounds, onTask: (name, round) => say(`${name}, ${round}`) });
  const ratio = pairedRatio(figures.among, figures.answered);
  const mebibytes = mostBytes / 2 ** 20;
  return {
    name: `jobs of agents that answer, among ${MODULES} of which half hang`,
    unit: 'jobs/s',
    figure: median(figures.among),
    baseline: median(figures.answered),
    baselineName: 'the same while nobody asks the others',
    ratio,
    aims: [atLeast('ratio', ratio, 0.8), atMost('sockets', mostSockets, 512), atMost('MiB more', mebibytes, 512)],
    details: { 'sockets at most': mostSockets, 'MiB more at most': mebibytes, 'jobs that hang at once': CALLERS },
  };
}

interface Replayed {
  readonly rounds: number;
  readonly ids: readonly string[];
  readonly say: (what: string) => void;
}

async function replayed(side: AppSide, { rounds, ids, say }: Replayed): Promise<Line> {
  const snapshots = side.app.nest.get(Snapshots);
  const calls = ids.length;
  for (let caller = 0; caller < CALLERS; caller++) await side.remember(caller);
  const own: string[] = [];
  await drive({ callers: CALLERS, calls }, async (caller, nth) => {
    own.push((await side.ask(caller, nth)).job_id);
  });
  const before = sockets();
  let most = 0;
  const audits = (of: readonly string[]) => async (): Promise<number> =>
    (
      await drive({ callers: 1, calls }, async (_, nth) => {
        const { verdict } = await auditJob(side.platform.events, snapshots, of[nth]!);
        if (verdict !== 'MATCH') throw new Error(`a replay ended ${verdict}`);
        most = Math.max(most, sockets());
      })
    ).perSecond;
  const tasks = { elsewhere: audits(ids), own: audits(own) };
  const figures = await interleave(tasks, { rounds, onTask: (name, round) => say(`replay ${name}, ${round}`) });
  const ratio = pairedRatio(figures.elsewhere, figures.own);
  return {
    name: 'audit replay of jobs of agents elsewhere, which are gone',
    unit: 'jobs/s',
    figure: median(figures.elsewhere),
    baseline: median(figures.own),
    baselineName: 'of jobs of the system’s agents',
    ratio,
    aims: [atLeast('ratio', ratio, 0.9), atMost('sockets opened', Math.max(0, most - before), 0)],
    details: { 'sockets before': before, 'sockets at most': most },
  };
}

function sockets(): number {
  return process.getActiveResourcesInfo().filter((name) => name.startsWith('TCPSocket')).length;
}
