import { join } from 'node:path';

import { snapshotStream } from '#lib/governance';
import { jobStream } from '#lib/jobs';
import { replayStream, type SweepView } from '#lib/replay';
import { openDatabase } from '#lib/sqlite';

import { eventually } from '../support/eventually.js';
import { type AnyBody, type Caller, JobApp } from '../support/job-app.js';
import { remove } from '../support/resigning.js';

/** A fault of one job's data is that job's outcome (docs/replay.md, "Every job at once"). */
describe('of a log in which one person’s data key is lost and another’s spoiled', () => {
  let app: JobApp;
  let auditor: Caller;
  let sound: readonly string[];
  let lost: string;
  let spoiled: string;

  beforeAll(async () => {
    app = await JobApp.open();
    const [bob, eve, mia] = [await app.caller('bob'), await app.caller('eve'), await app.caller('mia')];
    const first = await asked(bob);
    [lost, spoiled] = [await asked(eve), await asked(mia)];
    sound = [first, await asked(bob)];
    await app.whileClosed(() => {
      const keys = openDatabase(join(app.folder, 'subject-keys.db'));
      keys.exec(`DROP TRIGGER key_records_are_never_deleted;
        DELETE FROM subject_keys WHERE subject = 'user_eve';
        UPDATE subject_keys SET wrapped = substr(wrapped, 5) || substr(wrapped, 1, 4) WHERE subject = 'user_mia';`);
      keys.close();
    });
    auditor = await app.caller('ann', ['auditor']);
  });
  afterAll(() => app.dispose({ tampered: [lost, spoiled, ...sound] }));

  it.each([['lost'], ['spoiled']])(
    'a replay of the job whose key is %s ends in a result that says so',
    async (which) => {
      const job_id = which === 'lost' ? lost : spoiled;
      const { status, body } = await auditor.send('POST', '/replay/request', { job_id, mode: 'audit' });
      expect([status, body.error_code]).toEqual([503, 'DATA_UNAVAILABLE']);
      const events = await app.stream(replayStream(body.meta['replay_id'] as string));
      expect(events.map(({ type }) => type)).toEqual(['REPLAY_REQUEST', 'REPLAY_RESULT']);
      expect(events[1]!.data).toMatchObject({ job_id, verdict: null, error_code: 'DATA_UNAVAILABLE', user_id: null });
      expect(events[1]!.data['steps']).toMatchObject([{ step: 'data keys', verdict: 'failed' }]);
    },
  );

  it('a sweep goes on past those jobs to the end, and names each with its replay', async () => {
    const { body: begun } = await auditor.send<SweepView>('POST', '/replay/sweeps', {});
    const view = await eventually(async () => {
      const { body } = await auditor.get<SweepView>(`/replay/sweeps/${begun.sweep_id}`);
      return body.state === 'running' ? null : body;
    }, 'the end of a sweep');
    expect(view).toMatchObject({ state: 'done', processed: 4, reason: null });
    expect(view.counts).toEqual({ MATCH: sound.length, DATA_UNAVAILABLE: 2 });
    expect(view.unmatched.map(({ job_id, error_code }) => [job_id, error_code])).toEqual([
      [lost, 'DATA_UNAVAILABLE'],
      [spoiled, 'DATA_UNAVAILABLE'],
    ]);
    for (const { replay_id } of view.unmatched)
      expect((await app.stream(replayStream(replay_id))).at(-1)!.type).toBe('REPLAY_RESULT');
  });

  it('a snapshot that is gone is told before the key that is lost', async () => {
    const pinned = (await app.parts.platform.events.load(jobStream(sound[0]!))).events[1]!.data['snapshots'];
    remove(app.folder, snapshotStream((pinned as Record<string, string>)['router']!));
    const { body } = await auditor.send('POST', '/replay/request', { job_id: lost, mode: 'audit' });
    expect(body.error_code).toBe('MISSING_SNAPSHOT');
  });

  async function asked(person: Caller): Promise<string> {
    const { body }: { body: AnyBody } = await person.ask('6*7');
    return body.job_id;
  }
});
