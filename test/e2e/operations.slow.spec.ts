import { execFile } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { describeEmbedded } from '../support/event-store-for-tests.js';
import { blocksOf, type RunnableBlock } from '../support/runnable-docs.js';
import { ServedProcess } from '../support/served-process.js';

jest.setTimeout(300_000);

/**
 * Runs the commands of docs/operations.md: every block of `sh` on one data folder, in their order, with a server on it;
 * one of `sh stopped` without. Other blocks (`text`, `ini`) are shown and not run.
 */
const BLOCKS = blocksOf('docs/operations.md', 'sh');

interface Ended {
  readonly code: number;
  readonly output: string;
}

let folder: string;
let work: string;
let programs: string;
let server: ServedProcess | undefined;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'mace-operations-'));
  [work, programs] = [join(folder, 'work'), join(folder, 'bin')];
  for (const path of [work, programs]) mkdirSync(path);
  program('mace', `exec ${process.execPath} ${join(process.cwd(), 'dist/mace/main.js')} "$@"`);
  // What it installs and builds is what runs here already; test/e2e/install.e2e.spec.ts is about the installer.
  program('npm', `case "$*" in ci|'run build') ;; *) echo "npm $* is not known here" >&2; exit 1;; esac`);
});
afterAll(async () => {
  await server?.kill();
  rmSync(folder, { recursive: true, force: true });
});

function program(name: string, script: string): void {
  writeFileSync(join(programs, name), `#!/bin/sh\n${script}\n`);
  chmodSync(join(programs, name), 0o755);
}

const dataDir = () => join(work, 'data');

async function run({ words, script }: RunnableBlock): Promise<Ended> {
  if (words === 'stopped') {
    await server?.stop();
    server = undefined;
  } else {
    server ??= await ServedProcess.start(dataDir());
  }
  const at = server ? new URL(server.url).host : '127.0.0.1:0';
  const settings = { MACE_DATA_DIR: dataDir(), MACE_PORT: '0' };
  const env = { ...process.env, ...settings, PATH: `${programs}:${process.env['PATH'] ?? ''}`, TMPDIR: folder };
  const text = script.replaceAll('127.0.0.1:3000', at);
  return new Promise((resolve) => {
    execFile('/bin/sh', ['-eu', '-c', text], { cwd: work, env, maxBuffer: 64 * 1024 * 1024 }, (error, out, err) =>
      resolve({ code: error ? Number(error.code ?? 1) : 0, output: `${out}${err}` }),
    );
  });
}

describeEmbedded('the commands of docs/operations.md', 'mace backup copies embedded stores alone', () => {
  it('are found: of each part of the page that has any', () => {
    const sections = new Set(BLOCKS.map(({ section }) => section));
    for (const name of ['Install', 'Metrics', 'Health', 'Rebuild', 'Upgrade', 'Back up', 'Restore'])
      expect(sections).toContain(name);
    expect(BLOCKS.some(({ words }) => words === 'stopped')).toBe(true);
  });

  it.each(BLOCKS.map((block, i) => [i + 1, block.section, block] as const))(
    'run as they stand there: block %d, of "%s"',
    async (_, __, block) => {
      const { code, output } = await run(block);
      expect({ script: block.script, code, output: code === 0 ? '' : output }).toEqual({
        script: block.script,
        code: 0,
        output: '',
      });
    },
  );
});
