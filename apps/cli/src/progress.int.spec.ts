import { spawn, spawnSync } from 'node:child_process';
import { join } from 'node:path';

import { terminal } from './io.js';
import { withProgress } from './progress.js';
import { ServedFolder } from './testing/served-folder.js';

const CLI = join(process.cwd(), 'dist/mace/main.js');
const [HIDE, SHOW] = ['\u001b[?25l', '\u001b[?25h'];

// util-linux has a terminal for a command to write to.
const hasTerminal = spawnSync('script', ['--version']).status === 0;
if (!hasTerminal) process.stderr.write('SKIPPED: what is drawn on a terminal: there is no `script` on this machine\n');
const itOnTerminal = hasTerminal ? it : it.skip;

/** What a command writes to a terminal, where a person would see it. */
async function onTerminal(args: readonly string[]): Promise<{ readonly code: number | null; readonly text: string }> {
  const command = [process.execPath, CLI, ...args].map((word) => `'${word}'`).join(' ');
  const { CI: _, NO_COLOR: __, ...env } = process.env;
  const started = spawn('script', ['-qec', command, '/dev/null'], { env: { ...env, TERM: 'xterm' } });
  let text = '';
  started.stdout.on('data', (part: Buffer) => (text += part.toString()));
  started.stdin.end();
  const code = await new Promise<number | null>((done) => started.once('close', done));
  return { code, text };
}

describe('the bar of a command that takes its time', () => {
  let served: ServedFolder;
  beforeAll(async () => void (served = await ServedFolder.open('progress')));
  afterAll(() => served.close());

  itOnTerminal.each([
    ['projections rebuild sem', 'positions'],
    ['integrity verify', ''],
    ['projections rerun sem --from 0', 'positions'],
  ])(
    '%s: counts what was done, never backwards and never beyond the whole, ends with the whole and gives the cursor back',
    async (command, unit) => {
      const { code, text } = await onTerminal(['--data', served.path, ...command.split(' ')]);
      expect([code, text]).toEqual([0, expect.stringContaining(HIDE)]);
      const looks = [...text.matchAll(new RegExp(`(\\d+)%  (\\d+)/(\\d+) *${unit}`, 'g'))].map((look) =>
        look.map(Number),
      );
      expect(looks.length).toBeGreaterThan(0);
      let before = 0;
      for (const [, percentage, done, total] of looks) {
        expect(done).toBeGreaterThanOrEqual(before);
        expect(done).toBeLessThanOrEqual(total!);
        expect(percentage).toBe(total === 0 ? 100 : Math.floor((100 * done!) / total!));
        before = done!;
      }
      const [, , done, total] = looks.at(-1)!;
      expect(done).toBe(total);
      expect(text.lastIndexOf(SHOW)).toBeGreaterThan(text.lastIndexOf(HIDE));
    },
    60_000,
  );

  itOnTerminal('is not drawn for who wants JSON', async () => {
    const { code, text } = await onTerminal([
      '--data',
      served.path,
      '--json',
      'projections',
      'rerun',
      'sem',
      '--from',
      '0',
    ]);
    expect(code).toBe(0);
    expect(JSON.parse(text)).toHaveProperty('result');
  });
});

describe('work behind a bar', () => {
  const { isTTY } = process.stderr;
  let written = '';
  beforeEach(() => {
    written = '';
    process.stderr.isTTY = true;
    jest.spyOn(process.stderr, 'write').mockImplementation((text) => (written += String(text)) !== '');
  });
  afterEach(() => {
    jest.restoreAllMocks();
    process.stderr.isTTY = isTTY;
  });

  it('never draws more than the whole, which may have grown since the look before', async () => {
    await withProgress({ io: { ...terminal(), interactive: true }, json: false }, '{value}/{total}', (show) => {
      show(10, 10);
      show(15, 20);
      return Promise.resolve();
    });
    expect(written).toContain('15/20');
    expect(written).not.toContain('15/10');
  });

  it('gives the cursor back where the process ends meanwhile', async () => {
    const before = process.listeners('exit');
    await withProgress({ io: { ...terminal(), interactive: true }, json: false }, '{value}/{total}', (show) => {
      show(3, 9);
      const [atExit] = process.listeners('exit').filter((one) => !before.includes(one));
      atExit!(130);
      expect(written.lastIndexOf(SHOW)).toBeGreaterThan(written.lastIndexOf(HIDE));
      return Promise.resolve();
    });
    expect(process.listeners('exit')).toEqual(before);
  });

  it('gives the cursor back before its error is told', async () => {
    const failing = withProgress(
      { io: { ...terminal(), interactive: true }, json: false },
      '{value}/{total}',
      (show) => {
        show(3, 9);
        return Promise.reject(new Error('away'));
      },
    );
    await expect(failing).rejects.toThrow('away');
    expect(written).toContain('3/9');
    expect(written.lastIndexOf(SHOW)).toBeGreaterThan(written.lastIndexOf(HIDE));
  });
});
