import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { matches, runSteps, stepsOf } from './console-page.js';

describe('a page with commands', () => {
  const folder = mkdtempSync(join(tmpdir(), 'mace-page-'));
  const page = join(folder, 'page.md');
  afterAll(() => rmSync(folder, { recursive: true }));

  it('is run in one shell, with what each command prints and how it ends', async () => {
    writeFileSync(
      page,
      'a\n```console\n$ X=5\n$ echo "$X a"\n5 …\n```\nb\n```console\n$ false # exit code 1\n$ say hi\nhi\n```\n',
    );
    const ran = await runSteps(stepsOf(page), ['say() { echo "$@"; }']);
    expect(ran.map(({ command, printed, exited, exitCode }) => [command, printed, exited, exitCode])).toEqual([
      ['X=5', '', 0, 0],
      ['echo "$X a"', '5 a', 0, 0],
      ['false', '', 1, 1],
      ['say hi', 'hi', 0, 0],
    ]);
    expect(ran.map(matches)).toEqual([true, true, true, true]);
  });

  it.each<[readonly string[], string, boolean]>([
    [['MATCH', '…'], 'MATCH\nfurther lines', true],
    [['MATCH', '…'], 'MATCH', true],
    [['MATCH'], 'MATCH\nfurther lines', false],
    [['MATCH'], 'MISMATCH', false],
    [['a … c'], 'a b c', true],
    [['a … c', 'd'], 'a b c', false],
    [[], '', true],
    [[], 'a fault', false],
  ])('%j is what %j prints: %j', (prints, printed, expected) => {
    expect(matches({ prints, printed })).toBe(expected);
  });
});
