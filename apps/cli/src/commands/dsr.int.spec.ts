import { JobApp } from '../../../../test/support/job-app.js';
import { mace as runMace } from '../testing/mace.js';

let app: JobApp;
beforeAll(async () => {
  app = await JobApp.open();
  await (await app.caller('tuff')).send('PUT', '/sem/user/profile/user_tuff/favorite_color', { value: 'blue' });
});
afterAll(() => app.dispose());

/** The command line as who holds the folder; it opens the folder itself. */
async function mace(...args: string[]): Promise<{ readonly code: number; readonly text: string }> {
  const { code, out, err } = await runMace('--data', app.folder, '--json', ...args);
  return { code, text: [out, err].filter((text) => text !== '').join('\n') };
}

describe('mace dsr', () => {
  it('files, shows and approves a deletion; what it would do is said and not done with --dry-run', async () => {
    await app.whileClosed(async () => {
      const file = [
        'dsr',
        'request',
        'delete',
        '--user',
        'tuff',
        '--document',
        'passport-12',
        '--reason',
        'at the counter',
      ];
      expect(await mace(...file, '--dry-run')).toMatchObject({
        code: 0,
        text: expect.stringContaining('"path": "/dsr/request"'),
      });
      const filed = await mace(...file);
      expect(filed.code).toBe(0);
      const { dsr_id } = JSON.parse(filed.text) as { dsr_id: string };
      const shown = await mace('dsr', 'show', dsr_id);
      expect(JSON.parse(shown.text)).toMatchObject({ status: 'waiting_for_approval', requested_by: 'local' });
      const again = JSON.parse((await mace(...file)).text) as { dsr_id: string };
      const refused = await mace('dsr', 'refuse', again.dsr_id, '--reason', 'one request is enough');
      expect(JSON.parse(refused.text)).toMatchObject({ status: 'refused', refused_by: 'local' });
      const approved = await mace('dsr', 'approve', dsr_id);
      expect(JSON.parse(approved.text)).toMatchObject({ dsr_id, approved_by: 'local' });
      expect((await mace('dsr', 'approve', dsr_id)).text).toContain('CONFLICT');
      // An export is the person's: who holds the folder is not the person.
      expect((await mace('dsr', 'export', dsr_id)).code).not.toBe(0);
    });
  });

  it.each([
    [['dsr', 'request', 'delete', '--user', 'tuff']],
    [['dsr', 'request', 'delete', '--user', 'tuff', '--otp', '123456', '--document', 'd', '--reason', 'r']],
    [['dsr', 'request', 'forget', '--user', 'tuff', '--otp', '123456']],
    [['dsr', 'hold', 'abc']],
  ])('%j is a fault of usage', async (args) => {
    expect((await mace(...args)).code).toBe(64);
  });
});
