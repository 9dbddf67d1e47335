import { readFileSync } from 'node:fs';

import { createColors } from 'picocolors';

import { run } from './run.js';

describe('the command line in this process', () => {
  it('says which release it is', async () => {
    const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string };
    const lines: string[] = [];
    const io = {
      out: (line: string) => void lines.push(line),
      say: () => undefined,
      colors: createColors(false),
      interactive: false,
    };
    expect(await run(['--version'], io)).toBe(0);
    expect(lines).toEqual([`mace-${version}`]);
  });
});
