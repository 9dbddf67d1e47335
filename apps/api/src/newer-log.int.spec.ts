import { NewerLogError, takeUpLog } from '#lib/history';

import { JobApp } from '../../../test/support/job-app.js';
import { refusalOf } from './main.refusal.js';

describe('a log', () => {
  let onTestEnd: (() => Promise<unknown>) | undefined;
  afterEach(async () => {
    await onTestEnd?.();
    onTestEnd = undefined;
  });

  it('names the release that writes it, once for however many starts', async () => {
    const app = await JobApp.open();
    onTestEnd = () => app.dispose();
    await app.whileClosed(() => undefined);
    const records = await app.stream('system-releases');
    expect(records.map(({ type, data }) => [type, data['release']])).toEqual([
      ['RELEASE_RECORDED', expect.stringMatching(/^mace-\d+\.\d+\.\d+(?:-dev)?$/)],
    ]);
    expect(records[0]!.data['event_versions']).toMatchObject({ SEM_PUT: 1, RELEASE_RECORDED: 1 });
  });

  it('that a newer release wrote stops the start, and says which release reads it', async () => {
    const app = await JobApp.open();
    const { events, registry } = app.parts.platform;
    const newer = registry.all().map((one) => (one.type === 'SEM_PUT' ? { ...one, version: 2 } : one));
    await takeUpLog(events, 'mace-9.0.0', newer);
    const start = app.whileClosed(() => undefined);
    const refused: unknown = await start.catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(NewerLogError);
    expect(refusalOf(refused)).toEqual({
      exitCode: 1,
      message: expect.stringMatching(
        /^the log was written by a newer release: mace-9\.0\.0 writes SEM_PUT in version 2, which mace-\S+ reads up to version 1 of; start the newer release$/,
      ) as string,
    });
  });
});
