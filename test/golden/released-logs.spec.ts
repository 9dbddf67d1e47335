import type { VerificationView } from '#lib/integrity';

import { eventually, until } from '../support/eventually.js';
import { type Caller, JobApp } from '../support/job-app.js';
import {
  copyOf,
  isUnderWay,
  record,
  releasedAnswers,
  releasedVersions,
  releasesInChangelog,
  thisVersion,
} from '../support/released-logs.js';

/**
 * What a release wrote, every later one reads, replays and goes on with (spec/kernel.md: stored bytes are never
 * rewritten). `WRITE_RELEASED_LOG=1` keeps the log of the version that package.json names; none is ever made again.
 */

beforeAll(async () => {
  if (process.env['WRITE_RELEASED_LOG'] === undefined) return;
  if (releasedVersions().includes(thisVersion()))
    throw new Error(`test/fixtures/logs/${thisVersion()} is there already`);
  await record(thisVersion());
}, 120_000);

it('every released version has left its log', () => {
  expect(releasesInChangelog()).not.toEqual([]);
  expect(releasedVersions()).toEqual(expect.arrayContaining([...releasesInChangelog()]));
});

it('a version that is called as a release is one', () => {
  expect(isUnderWay() || releasedVersions().includes(thisVersion())).toBe(true);
});

// One that was just recorded is looked at by the next run.
for (const version of releasedVersions())
  describe(`the log of ${version}`, () => {
    const answers = releasedAnswers(version);
    let app: JobApp;
    let tuff: Caller;
    beforeAll(async () => {
      app = await JobApp.on(copyOf(version));
      tuff = await app.caller('tuff');
    });
    // Replays every job of it.
    afterAll(() => app.dispose({ erased: answers.erased }));

    const walked = async (): Promise<VerificationView> => {
      const auditor = await app.caller('ann', ['auditor']);
      const { body } = await auditor.send<VerificationView>('POST', '/integrity/verify', {});
      return eventually(async () => {
        const view = await auditor.get<VerificationView>(`/integrity/verifications/${body.verification_id}`);
        return view.body.state === 'running' ? null : view.body;
      }, 'the end of the walk');
    };

    it('is sound to a walk before anything is added to it', async () => {
      const { sound, faults, processed } = await walked();
      expect([sound, faults, processed > 100]).toEqual([true, 0, true]);
    });

    it('still answers every job as it did', async () => {
      for (const [id, { status, final_answer }] of Object.entries(answers.jobs))
        expect({ id, ...(await tuff.get(`/jobs/${id}`)).body }).toMatchObject({ id, status, final_answer });
    });

    it('still holds what was remembered', async () => {
      for (const [key, value] of Object.entries(answers.memory))
        expect((await tuff.get<{ value: string }>(`/sem/${key}`)).body.value).toBe(value);
    });

    it('still says nothing of who was erased', async () => {
      const mina = await app.caller('mina');
      for (const id of answers.erased) expect((await mina.get(`/jobs/${id}`)).body.final_answer).toBe('[erased]');
    });

    it('says when its replays were asked for, and when they ended where that was signed', async () => {
      const auditor = await app.caller('ann', ['auditor']);
      const listed = () => auditor.get<{ items: readonly { replay_id: string }[] }>('/replay');
      await until(async () => (await listed()).body.items.length > 0, 'the list of replays');
      for (const { replay_id } of (await listed()).body.items) {
        const recorded = await app.stream(`replay-${replay_id}`);
        expect((await auditor.get<object>(`/replay/${replay_id}`)).body).toMatchObject({
          requested_at: recorded[0]!.data['requested_at'],
          ended_at: recorded.at(-1)!.metadata.recorded_at ?? null,
        });
      }
    });

    it('takes new jobs', async () => {
      const { body } = await tuff.ask('What is my favourite colour?', { job_seed: 'a-later-release' });
      expect(body.final_answer).toBe('Your favorite color is green.');
    });

    it('is sound to a walk once it has gone on', async () => {
      expect(await walked()).toMatchObject({ sound: true, faults: 0 });
    });
  });
