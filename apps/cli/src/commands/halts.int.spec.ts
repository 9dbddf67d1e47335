import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { createColors } from 'picocolors';

import { eventually } from '../../../../test/support/eventually.js';
import { openInProcess } from '../../../api/src/main.in-process.js';
import { readConfig } from '../../../api/src/platform.config.js';
import { run } from '../run.js';

const UNKNOWN = '0'.repeat(64);

let folder: string;
let safety: string;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'mace-halts-'));
  const app = await openInProcess(readConfig({ MACE_DATA_DIR: folder, MACE_LOG_LEVEL: 'silent' }));
  const asked = await app.inject({ method: 'POST', url: '/jobs', payload: { query_text: '6*7' } });
  const { job_id, snapshots } = asked.json<{ job_id: string; snapshots: Record<string, string> }>();
  safety = snapshots['safety']!;
  await app.inject({ method: 'POST', url: '/events/failure', payload: { event_type: 'SECURITY_INCIDENT', job_id } });
  const shown = (url: string, part: string) =>
    eventually(async () => ((await app.inject({ url })).payload.includes(part) ? true : null), `${part} in ${url}`);
  await shown('/replay/halts', safety);
  await app.inject({ method: 'POST', url: '/replay/request', payload: { job_id } });
  await shown('/jobs/unreplayable', job_id);
  await app.close();
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function mace(...args: string[]): Promise<{ code: number; out: string; err: string }> {
  const [out, err]: [string[], string[]] = [[], []];
  const code = await run(['--data', folder, ...args], {
    out: (line) => void out.push(line),
    say: (line) => void err.push(line),
    colors: createColors(false),
    interactive: false,
    unread: new AbortController().signal,
  });
  return { code, out: out.join('\n'), err: err.join('\n') };
}

describe('mace halts', () => {
  it('list shows each halted snapshot with its cause and the jobs that pin it, and no other', async () => {
    const { code, out } = await mace('halts', 'list');
    expect(code).toBe(0);
    const [head, ...rows] = out.split('\n');
    expect(head).toMatch(/^SNAPSHOT +STATUS +SINCE +JOBS +CAUSE$/);
    expect(rows).toHaveLength(6);
    expect(rows.filter((row) => row.startsWith(safety))).toEqual([
      expect.stringMatching(/ halted +\S+Z +1 +SECURITY_INCIDENT in system-security$/),
    ]);
  });

  it('clear says with --dry-run what it would send, verifies, and names the request that the council votes on', async () => {
    const order = ['halts', 'clear', safety, '--justification', 'looked at'];
    expect((await mace(...order, '--dry-run')).out).toBe(
      `would send POST /replay/halts/${safety}/clear {"justification":"looked at"}`,
    );
    const done = await mace(...order);
    expect(done).toMatchObject({ code: 0, err: '' });
    expect(done.out).toMatch(/^request_id +ar-[0-9a-f]{32}$/m);
    expect(await mace('halts', 'clear', UNKNOWN)).toMatchObject({ code: 1, out: '' });
    expect((await mace('halts', 'clear')).code).toBe(64);
  });
});

describe('mace jobs unreplayable', () => {
  it('shows the jobs with what is missing, and on the side how many lack each kind', async () => {
    const { code, out, err } = await mace('jobs', 'unreplayable');
    expect(code).toBe(0);
    expect(out.split('\n')).toEqual([
      expect.stringMatching(/^JOB +MISSING +FOUND_BY +ARTIFACTS$/),
      expect.stringMatching(/^job:[0-9a-f]{32} +integrity +replay +integrity:[0-9a-f]{64}$/),
    ]);
    expect(err).toContain('of all: snapshot 0, agent_output 0, input 0, record 0, integrity 1');
    expect(err).toMatch(/^integrity:[0-9a-f]{64}: 1$/m);
    expect((await mace('jobs', 'unreplayable', '--missing', 'nonsense')).code).toBe(64);
  });

  it('answers as JSON', async () => {
    const { out } = await mace('--json', 'jobs', 'unreplayable', '--missing', 'integrity');
    expect(JSON.parse(out)).toMatchObject({ items: [{ missing: 'integrity' }], counts: { integrity: 1 } });
  });
});
