import { performance } from 'node:perf_hooks';

import { traceId } from '#lib/kernel';
import { BUILT_IN_MODULES, decide, type RoutingModule } from '#lib/routing';
import { snapshotModules } from '#lib/selfrep';

import { decideOutcomes } from '../../../libs/selfrep/src/domain/decide.js';
import { one } from '../../../libs/selfrep/src/testing/placed.js';
import { selfrepProcess, type SelfrepProcess } from '../../../libs/selfrep/src/testing/selfrep-process.js';
import { atLeast, type Row } from '../harness/row.js';
import { interleave, median, pairedRatio } from '../harness/statistics.js';
import { decisions, routerInputs } from './routing-side.js';

const MODULES = 10_000;
const DECISIONS = 200_000;
/** A failed turn costs trust, so the module's chunk and the list of chunks are made anew. */
const RENEWALS = 5;

/**
 * Decisions on a selfrep snapshot of ten thousand registered modules against one of the built-in ones, and what
 * such a snapshot costs. The store lies in memory: a snapshot's own work is measured, not the disk.
 */
export const modules10000: Row = {
  name: 'modules-10000',
  async run({ rounds, scale, say }) {
    const count = Math.ceil(DECISIONS * scale);
    const total = Math.max(BUILT_IN_MODULES.length, Math.ceil(MODULES * Math.min(1, scale)));
    const few = await registered(BUILT_IN_MODULES.length);
    say(`registering ${total} modules`);
    const many = await registered(total);
    try {
      const inputs = routerInputs(modulesOf(many.process));
      const firstMs = elapsed(() => inputs.forEach(decide));
      const againMs = elapsed(() => inputs.forEach(decide));
      const handful = routerInputs(modulesOf(few.process));
      const figures = await interleave(
        { baseline: () => decisions(handful, count), measured: () => decisions(inputs, count) },
        { rounds, onTask: (task, round) => say(`round ${round}, ${task}`) },
      );
      const ratio = pairedRatio(figures.measured, figures.baseline);
      return [
        {
          name: `decisions with ${total.toLocaleString('en')} modules`,
          unit: 'decisions/s',
          figure: median(figures.measured),
          baseline: median(figures.baseline),
          baselineName: `the same decisions with the ${BUILT_IN_MODULES.length} built-in modules`,
          ratio,
          aims: [atLeast('ratio', ratio, 0.5)],
          details: {
            'ms to sort them once a snapshot, all intents': firstMs - againMs,
            'ms for the first snapshot': many.snapshotMs,
            'ms for a snapshot after one status changed': await renewalMs(many.process),
          },
        },
      ];
    } finally {
      await Promise.all([few.process.directory.stop(), many.process.directory.stop()]);
    }
  },
};

/** A process that knows so many modules, the built-in ones first and then more of their kind, and its snapshot. */
async function registered(total: number): Promise<{ process: SelfrepProcess; snapshotMs: number }> {
  const process = selfrepProcess();
  await process.directory.start();
  for (let i = 0; i < total; i++) {
    const { node_id, agent_id, capabilities, policy } = BUILT_IN_MODULES[i % BUILT_IN_MODULES.length]!;
    const own = i < BUILT_IN_MODULES.length ? node_id : `${node_id}_${i}`;
    await process.register(own, { agent_id, capabilities, policy });
  }
  const began = performance.now();
  await process.selfrep.renew();
  return { process, snapshotMs: performance.now() - began };
}

/** Three failures take a module offline; only its chunk and the list of chunks are made anew. */
async function renewalMs(process: SelfrepProcess): Promise<number> {
  const times: number[] = [];
  for (let i = 0; i < RENEWALS; i++) {
    const { node_id } = BUILT_IN_MODULES[i]!;
    const jobSeed = `cmd:bench:${i}`;
    const by = { jobSeed, sequenceIndex: 0, actor: { id: 'system', role: 'system' }, traceId: traceId(jobSeed) };
    const failures = [1, 2, 3].map(() => one('AGENT_TIMEOUT'));
    await process.streams.execute(node_id, by, (module) => decideOutcomes(module!, failures, {}, process.constants));
    const began = performance.now();
    await process.selfrep.renew();
    times.push(performance.now() - began);
  }
  return median(times);
}

function modulesOf({ selfrep }: SelfrepProcess): readonly RoutingModule[] {
  return snapshotModules(selfrep.current);
}

function elapsed(work: () => void): number {
  const began = performance.now();
  work();
  return performance.now() - began;
}
