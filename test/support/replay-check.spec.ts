import { emptyHead } from '#lib/event-store';
import { Snapshots } from '#lib/governance';
import { eventId, jobId, traceId } from '#lib/kernel';

import { forgedJob } from './forging.js';
import { JobApp } from './job-app.js';
import { type Declared, everyJobReplays } from './replay-check.js';

let app: JobApp;
let sound: string;
let forged: string;
let unsealed: string;

beforeAll(async () => {
  app = await JobApp.open();
  sound = (await (await app.caller('tuff')).ask('2+2', { job_seed: 'sound' })).body.job_id;
  forged = await forgedJob(app, 'forged', { type: 'REFLECTIVE_LOG_WRITTEN', change: { final_answer: '6 * 7 = 43.' } });
  unsealed = await begunJob('unsealed');
});
afterAll(() => app.dispose({ tampered: [forged], unsealed: [unsealed] }));

describe('the check that every job of a log replays', () => {
  it('counts those that do, where the others are declared', async () => {
    expect(await check({ tampered: [forged], unsealed: [unsealed] })).toBe(1);
  });

  it('names a job that does not, and its first divergence', async () => {
    const fault = `${forged}: RESULT_MISMATCH at final answer: `;
    await expect(check({ unsealed: [unsealed] })).rejects.toThrow(fault);
    await expect(check({ unsealed: [unsealed] })).rejects.toThrow('"pointer":"/data/final_answer"');
  });

  it('names a job without a seal that nobody declared', async () => {
    await expect(check({ tampered: [forged] })).rejects.toThrow(`${unsealed}: has no seal, and is not declared so`);
  });

  it.each([
    ['tampered, and is sound', () => ({ tampered: [forged, sound], unsealed: [unsealed] }), 'replays to MATCH'],
    ['unsealed, and is sealed', () => ({ tampered: [forged], unsealed: [unsealed, sound] }), 'is sealed'],
    ['tampered, and is not there', () => ({ tampered: [forged, 'job:x'], unsealed: [unsealed] }), 'is not there'],
  ])('refuses a declaration that is wrong: %s', async (_, declared, told) => {
    await expect(check(declared())).rejects.toThrow(told);
  });
});

describe('the check of a whole log', () => {
  it('names an event id that stands in two streams', async () => {
    const own = await JobApp.open();
    const log = own.parts.platform.events;
    const seed = 'system:test:twice';
    const actor = { id: 'system', role: 'system' } as const;
    const by = { jobSeed: seed, sequenceIndex: 0, actor, traceId: traceId(seed) };
    for (const stream of ['command-a', 'command-b']) {
      await log.append(emptyHead(stream), [{ type: 'REQUEST_BOUND', data: { command_seed: 'cmd:a' } }], by);
    }
    const fault = `event ${eventId(seed, 0, 'REQUEST_BOUND')}: stands in command-a and in command-b`;
    await expect(own.dispose()).rejects.toThrow(fault);
  });
});

function check(declared: Declared): Promise<number> {
  const { events, eventStore, ring } = app.parts.platform;
  return everyJobReplays({ events, eventStore, ring, snapshots: app.parts.app.nest.get(Snapshots) }, declared);
}

/** The first event of a job, and nothing more: it was begun elsewhere and never went on. */
async function begunJob(jobSeed: string): Promise<string> {
  const id = jobId(jobSeed);
  const log = app.parts.platform.events;
  const [accepted] = (await log.load(`job-${sound}`, { personal: 'plain' })).events;
  const by = { jobSeed, jobId: id, actor: accepted!.metadata.actor, sequenceIndex: 0, traceId: traceId(jobSeed) };
  await log.append(emptyHead(`job-${id}`), [{ type: 'JOB_ACCEPTED', data: { ...accepted!.data, job_id: id } }], by);
  return id;
}
