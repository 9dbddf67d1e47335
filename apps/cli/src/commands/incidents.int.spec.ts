import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { keyFileIn, readKeyFile } from '#lib/access';
import { KeyRing } from '#lib/kernel';
import { SpoolLines } from '#lib/memory';

import { openInProcess } from '../../../api/src/main.in-process.js';
import { readConfig } from '../../../api/src/platform.config.js';
import { type Ended, mace as runMace } from '../testing/mace.js';
import { newDataFolder } from '../../../../test/support/data-folder.js';
import { eventually } from '../../../../test/support/eventually.js';

const KEY = 'user/profile/user_tuff/favorite_color';

let folder: string;
let incident: string;
beforeAll(async () => {
  folder = await newDataFolder('incidents');
  const app = await openInProcess(readConfig({ MACE_DATA_DIR: folder, MACE_LOG_LEVEL: 'silent' }));
  const payload = { event_type: 'POLICY_VIOLATION', node_id: 'agent:math_v1' };
  await app.inject({ method: 'POST', url: '/events/failure', payload });
  incident = await eventually(async () => {
    const { items } = (await app.inject({ url: '/incidents' })).json<{ items: { incident_id: string }[] }>();
    return items[0]?.incident_id;
  });
  await app.close();
  // What a process left that ended in the middle of an outage.
  const spooled = {
    stream: 'access-user_tuff',
    event: {
      type: 'MEMORY_WRITE_FAIL',
      data: { key: KEY, error_code: 'SEM_WRITE_FAIL', attempts: 2, fault: 'StoreUnavailableError' },
    },
    provenance: { jobSeed: 'cmd:1', sequenceIndex: 2, actor: { id: 'user_tuff', role: 'user' }, traceId: 'trace-1' },
  };
  const lines = new SpoolLines(new KeyRing(readKeyFile(keyFileIn(folder))));
  writeFileSync(join(folder, 'failure-spool.jsonl'), `${lines.lineOf(spooled)}\n`);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const mace = (...args: string[]) => runMace('--data', folder, ...args);

/** Lists are as new as their read model: asked again until they show what they will. */
function once(shows: RegExp, ...args: string[]): Promise<Ended> {
  return eventually(
    async () => {
      const ended = await mace(...args);
      return shows.test(ended.out) ? ended : null;
    },
    `${String(shows)} in ${args.join(' ')}`,
  );
}

describe('mace incidents', () => {
  it('list shows each with its cause', async () => {
    const { code, out } = await mace('incidents', 'list', '--status', 'open');
    expect(code).toBe(0);
    expect(out.split('\n')).toEqual([
      expect.stringMatching(/^INCIDENT +OPENED +STATUS +SEVERITY +CAUSE$/),
      expect.stringMatching(
        new RegExp(`^${incident} +20\\S+Z +open +critical +POLICY_VIOLATION in module-agent:math_v1$`),
      ),
    ]);
  });

  it('ack says with --dry-run what it would send, acknowledges once by the beginning of its id, and is a failure after', async () => {
    const ack = ['incidents', 'ack', incident, '--note', 'tested again'];
    expect((await mace(...ack, '--dry-run')).out).toBe(
      `would send POST /admin/incident/ack {"incident_id":"${incident}","note":"tested again"}`,
    );
    const done = await mace('incidents', 'ack', incident.slice(0, 12), '--note', 'tested again');
    expect((await mace('incidents', 'ack', 'inc-000000', '--note', 'x')).code).toBe(64);
    expect(done).toMatchObject({ code: 0, err: '' });
    expect(done.out).toMatch(/^status +acknowledged$/m);
    expect(await mace(...ack)).toMatchObject({ code: 1, out: '' });
    expect((await mace('incidents', 'ack', incident)).code).toBe(64);
  });

  it('failed-writes shows what an earlier process could not record, by key', async () => {
    const { code, out } = await once(/SEM_WRITE_FAIL/, 'incidents', 'failed-writes', '--key', KEY);
    expect(code).toBe(0);
    expect(out.split('\n')[0]).toMatch(/^KEY +ERROR_CODE +ATTEMPTS +RECORDED$/);
    expect(out.split('\n')[1]).toMatch(new RegExp(`^${KEY} +SEM_WRITE_FAIL +2 +20\\S+Z$`));
  });

  it('answers as JSON', async () => {
    const { out } = await once(/tested again/, '--json', 'incidents', 'list', '--status', 'acknowledged');
    expect(JSON.parse(out)).toMatchObject({ items: [{ incident_id: incident, note: 'tested again' }] });
  });
});
