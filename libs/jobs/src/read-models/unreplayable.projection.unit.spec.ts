import { givenEvents } from '#lib/projections';

import { UnreplayableJobs } from '../unreplayable-jobs.js';
import { unreplayableProjection } from './unreplayable.projection.js';

const JOB = `job:${'1'.repeat(32)}`;
const OTHER = `job:${'2'.repeat(32)}`;
const SNAPSHOT = `snapshot:${'a'.repeat(64)}`;

type Given = Parameters<typeof givenEvents>[1];
const ended = (missing_artifacts: string[], job_id = JOB): Given => ({
  type: 'REFLECTIVE_LOG_WRITTEN',
  stream: `job-${job_id}`,
  data: { job_id, replayable: missing_artifacts.length === 0, missing_artifacts },
});
const replayed = (error_code: string | null, detail = '', authoritative = true): Given => ({
  type: 'REPLAY_RESULT',
  stream: 'replay-rp-1',
  data: {
    job_id: JOB,
    verdict: error_code === null ? 'MATCH' : null,
    authoritative,
    error_code,
    steps: [
      { step: 'ids', verdict: 'ok', detail: 'b'.repeat(64) },
      { step: 'artifacts', verdict: 'failed', detail },
    ],
  },
});
const failed = (data: Record<string, string | number>): Given => ({
  type: 'INTEGRITY_FAILURE',
  stream: 'system-integrity',
  data: { reason: 'x', ...data },
});
const rows = async (...events: Given[]) =>
  (await givenEvents(unreplayableProjection, ...events).documents('unreplayable')).map(({ body }) => {
    const { job_id, missing, artifacts, found_by } = body;
    return [job_id === JOB ? 'job' : 'other', missing, artifacts, found_by];
  });

describe('jobs that cannot be replayed', () => {
  it('are those that said so at their end, one row a kind of what is missing', async () => {
    expect(await rows(ended([]))).toEqual([]);
    expect(await rows(ended([SNAPSHOT, 'agent_output:e1', 'agent_output:e2']), ended([], OTHER))).toEqual([
      ['job', 'agent_output', ['agent_output:e1', 'agent_output:e2'], 'seal'],
      ['job', 'snapshot', [SNAPSHOT], 'seal'],
    ]);
  });

  it('are counted by what they refer to, also where it is not the first that they lack', async () => {
    const OF_NOBODY = `snapshot:${'c'.repeat(64)}`;
    const events = [ended([SNAPSHOT, OF_NOBODY]), ended([OF_NOBODY], OTHER), ended(['agent_output:e1'], OTHER)];
    const model = await givenEvents(unreplayableProjection, ...events).readModel();
    expect((await new UnreplayableJobs(model).page({ limit: 1 })).by_artifact).toEqual([
      { artifact: OF_NOBODY, missing: 'snapshot', jobs: 2, job_ids: [JOB, OTHER] },
      { artifact: 'agent_output:e1', missing: 'agent_output', jobs: 1, job_ids: [OTHER] },
      { artifact: SNAPSHOT, missing: 'snapshot', jobs: 1, job_ids: [JOB] },
    ]);
  });

  it('say in words, where no artifact has a name, that their record could not be gone on from', async () => {
    expect(await rows(ended(['this release computes another event 5']))).toEqual([
      ['job', 'record', ['this release computes another event 5'], 'seal'],
    ]);
  });

  it.each([
    ['MISSING_SNAPSHOT', 'snapshot', `snapshot ${'a'.repeat(64)} is not stored`, SNAPSHOT],
    ['MISSING_PERSISTED_AGENT_OUTPUT', 'agent_output', 'it was not kept', 'agent_output'],
    ['INTEGRITY_FAILURE', 'integrity', 'its signature does not verify', 'integrity'],
  ])('are those of which a replay was refused with %s, until one proves it', async (code, kind, detail, named) => {
    const found = await rows(ended([]), replayed(code, detail));
    expect(found).toEqual([['job', kind, [named], 'replay']]);
    expect(await rows(ended([]), replayed(code, detail), replayed(null, '', false))).toEqual(found);
    expect(await rows(ended([]), replayed(code, detail), replayed(null))).toEqual([]);
  });

  it('are not those whose replay ran out of time or was not allowed', async () => {
    expect(await rows(ended([]), replayed('REPLAY_TIMEOUT'), replayed('PERMISSION_DENIED'))).toEqual([]);
  });

  it('are those whose own log a check found changed, until an admin’s check frees it', async () => {
    const found = failed({ job_id: JOB, stream: `job-${JOB}`, revision: 3 });
    expect(await rows(ended([]), found)).toEqual([['job', 'integrity', ['integrity:log'], 'check']]);
    const freed = { type: 'LOG_REVERIFIED', stream: 'amendment-l1', data: { job_id: JOB, target_log_id: 'l1' } };
    expect(await rows(ended([]), found, freed)).toEqual([]);
  });

  it('are not listed by a failure of a snapshot, which is listed with the halts', async () => {
    expect(await rows(failed({ job_id: JOB, stream: `snapshot-${'a'.repeat(64)}`, revision: 0 }))).toEqual([]);
    expect(await rows(failed({}))).toEqual([]);
  });
});
