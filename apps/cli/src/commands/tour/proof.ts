import type { JsonObject } from '#lib/kernel';

import type { Call } from '../../client.js';
import { finishedRerun } from '../projections.js';
import type { Walk } from './walk.js';

interface Replay {
  readonly verdict: string | null;
  readonly steps: readonly { readonly checked: number }[];
}

/** Every job of a house run again from its record, and read models projected again beside the live ones. */
export async function proof(walk: Walk, projections: readonly string[]): Promise<void> {
  const { guide } = walk;
  guide.chapter('Run every job of this house again from its record, and compare byte for byte');
  let matching = 0;
  for (const job_id of walk.jobs) {
    const call = { method: 'POST', path: '/replay/request', body: { job_id, mode: 'audit' } } as const;
    const { body } = await walk.call<Replay>('otto', call, `replays ${job_id}`, ({ verdict, steps }) => {
      const checked = (steps ?? []).reduce((sum, step) => sum + step.checked, 0);
      return `${verdict ?? 'REFUSED'}, ${checked} checks in ${(steps ?? []).length} steps`;
    });
    if (body.verdict === 'MATCH') matching++;
  }
  guide.claim(`${walk.jobs.length} of ${walk.jobs.length} jobs MATCH`, matching === walk.jobs.length);
  guide.next('mace replay JOB');

  guide.chapter('Project all events again into a scratch place, and compare with what lists are read from');
  for (const name of projections) await rerun(walk, name);
  guide.next('mace projections list; docs/events-streams-replay.md says why this must come out the same');
}

async function rerun(walk: Walk, name: string): Promise<void> {
  const { guide, house } = walk;
  const view = await finishedRerun(async <T>(call: Call) => (await house.send<T>('olga', call)).body, name, {
    from: 0,
  });
  const { processed = 0, live_digest: live = null, scratch_digest: scratch = null } = view.result ?? {};
  const path = `/projections/${name}/reruns/${view.rerun_id}`;
  const step = { by: 'olga', method: 'GET', path, body: null, status: 200, answer: view as unknown as JsonObject };
  guide.told(step, `reruns ${name}`, [
    guide.aside(`live  ${live}`),
    guide.aside(`rerun ${scratch}, of ${processed} events`),
  ]);
  guide.claim(`${name} comes out the same`, view.result?.comparable === true && live === scratch);
}
