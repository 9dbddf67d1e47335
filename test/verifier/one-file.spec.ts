import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { builtinModules } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { verifyBundle } from '#lib/verifier';

import { fileOf, SampleLog } from '../../libs/verifier/src/testing/sample-log.js';

/** What the build makes of libs/verifier, copied to a folder that holds nothing else. */
const BUILT = join(process.cwd(), 'dist', 'libs', 'verifier', 'mace-verify.cjs');

describe('the verifier as one file', () => {
  const log = new SampleLog();
  const bundle = log.bundle(log.job('s1'));
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'mace-one-file-'));
    copyFileSync(BUILT, join(folder, 'mace-verify.cjs'));
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  function run(bytes: Uint8Array) {
    writeFileSync(join(folder, 'job.mace-bundle'), bytes);
    const args = ['mace-verify.cjs', 'job.mace-bundle', '--json'];
    const { status, stdout } = spawnSync(process.execPath, args, { cwd: folder, encoding: 'utf8' });
    return { status, report: JSON.parse(stdout) as unknown };
  }

  it('says of a bundle what its modules say, with nothing beside it', () => {
    const sound = fileOf(bundle);
    expect(run(sound)).toEqual({ status: 0, report: verifyBundle(sound) });
  });

  it('finds what was changed, as its modules do', () => {
    const [first, ...others] = bundle.records;
    const changed = fileOf({ ...bundle, records: [{ ...first!, leaf_index: first!.leaf_index + 1 }, ...others] });
    const report = verifyBundle(changed);
    expect(report.verdict).toBe('diverges');
    expect(run(changed)).toEqual({ status: 2, report });
  });

  it('asks for nothing but modules of Node', () => {
    const asked = [...readFileSync(BUILT, 'utf8').matchAll(/require\(([^)]*)\)|import\s*\(/g)].map(([, name]) => name);
    expect(asked.length).toBeGreaterThan(0);
    expect(asked.filter((name) => !builtinModules.includes(name?.slice(6, -1) ?? ''))).toEqual([]);
  });
});
