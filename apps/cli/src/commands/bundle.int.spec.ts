import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import type { Report } from '#lib/verifier';

import { answerOf, mace as runMace } from '../testing/mace.js';
import { ServedFolder } from '../testing/served-folder.js';

const VERIFIER = join(process.cwd(), 'dist/libs/verifier');

let served: ServedFolder;
let folder: string;
let jobId: string;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'mace-bundle-'));
  served = await ServedFolder.open('bundle');
  jobId = (await answer<{ job_id: string }>('ask', '6*7')).job_id;
});
afterAll(async () => {
  await served.close();
  rmSync(folder, { recursive: true });
});

const mace = (...args: string[]) => runMace('--data', served.path, ...args);
const answer = <T = Record<string, unknown>>(...args: string[]) => answerOf<T>('--data', served.path, ...args);

describe('mace bundle', () => {
  it('writes a file that mace verify takes, anywhere in the command line', async () => {
    const file = join(folder, 'job.mace-bundle');
    const made = await answer<Report & { file: string; bytes: number }>('bundle', jobId, '-o', file);
    expect(made).toMatchObject({ file, verdict: 'verified', job_id: jobId, replay: 'MATCH' });
    expect(readFileSync(file)).toHaveLength(made.bytes);
    const vkey = made.log!.signed_by[0]!;
    expect(await runMace('verify', file, '--key', vkey)).toMatchObject({ code: 0, err: '' });
    expect((await runMace('verify', file, '--origin', 'other')).code).toBe(2);
    const report = await answerOf<Report>('verify', file, '--key', vkey, '--origin', made.log!.origin);
    expect(report).toMatchObject({ verdict: 'verified', log: { pinned: true } });
  });

  it('is checked by the verifier’s folder alone, with no package, no environment and no data folder', async () => {
    const file = join(folder, 'alone.mace-bundle');
    expect((await mace('bundle', jobId, '-o', file)).code).toBe(0);
    const program = join(folder, 'verifier');
    cpSync(VERIFIER, program, { recursive: true });
    writeFileSync(join(program, 'package.json'), '{"type":"module"}');
    const main = join(program, 'src', 'main.js');
    const run = (path: string) => spawnSync(process.execPath, [main, path], { cwd: folder, env: {}, encoding: 'utf8' });
    expect(run(file)).toMatchObject({ status: 0, stderr: '', stdout: expect.stringContaining('verified: ') as string });
    writeFileSync(file, readFileSync(file).subarray(0, 1000));
    expect(run(file)).toMatchObject({
      status: 1,
      stderr: '',
      stdout: expect.stringContaining('cannot tell') as string,
    });
  });

  it('says what it would do, and does nothing', async () => {
    const file = join(folder, 'dry');
    const { code, out } = await mace('bundle', jobId, '-o', file, '--dry-run');
    expect([code, out]).toEqual([0, `would send GET /audit/bundle/${encodeURIComponent(jobId)}\nwould write ${file}`]);
    expect(existsSync(file)).toBe(false);
  });

  it('leaves nothing where there is no such job, or no such folder', async () => {
    const before = readdirSync(folder);
    const unknown = await mace('bundle', `job:${'0'.repeat(32)}`, '-o', join(folder, 'none'));
    expect([unknown.code, unknown.err]).toEqual([1, expect.stringContaining('NOT_FOUND')]);
    const nowhere = await mace('bundle', jobId, '-o', join(folder, 'none', 'job'));
    expect([nowhere.code, nowhere.err]).toEqual([1, expect.stringContaining('cannot be written (ENOENT)')]);
    expect((await mace('bundle', jobId)).code).toBe(64);
    expect(readdirSync(folder)).toEqual(before);
  });
});
