import { cpSync, existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { JobApp } from '../../../../test/support/job-app.js';
import { tamper } from '../../../../test/support/tampering.js';
import { mace } from '../testing/mace.js';

describe('mace restore of a copy on which nothing starts', () => {
  it('says which event of it was changed, and takes the right copy in its place', async () => {
    const app = await JobApp.open();
    const previous = app.parts.platform.proof.origin;
    await app.close();
    const copies = mkdtempSync(join(tmpdir(), 'mace-copies-'));
    const [right, damaged] = [join(copies, 'right'), join(copies, 'damaged')];
    for (const copy of [right, damaged]) cpSync(app.folder, copy, { recursive: true });
    tamper(damaged, 'policy-router', 'POLICY_CHANGED', '"data":{', '"data":{"a":1,');
    const here = ['--data', app.folder];
    try {
      const refused = await mace(...here, 'restore', '--from', damaged);
      expect([refused.code, refused.err]).toEqual([1, expect.stringContaining('stream policy-router, revision 0')]);
      expect(refused.err).not.toContain('\n    at ');
      const { code, out, err } = await mace(...here, '--json', 'restore', '--from', right);
      expect({ code, err }).toEqual({ code: 0, err: '' });
      expect(JSON.parse(out)).toMatchObject({ previous_origin: previous });
      expect(existsSync(join(app.folder, 'restore.json'))).toBe(false);
      expect(await mace(...here, 'integrity', 'verify')).toMatchObject({ code: 0 });
    } finally {
      for (const path of [app.folder, copies]) rmSync(path, { recursive: true, force: true });
    }
  });
});
