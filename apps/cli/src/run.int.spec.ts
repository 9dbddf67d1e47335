import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { createColors } from 'picocolors';

import { fixtureKeys, keyFileIn, writeKeyFile } from '#lib/access';

import { run } from './run.js';

describe('the command line in this process', () => {
  it('says which release it is', async () => {
    const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string };
    expect(await answerTo('--version')).toEqual([`mace-${version}`]);
  });

  it('lists keys without their secrets', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'mace-keys-'));
    try {
      const keys = fixtureKeys();
      writeKeyFile(keyFileIn(folder), keys);
      const lines = await answerTo('--data', folder, 'keys', 'list');
      expect(lines).toHaveLength(keys.length + 1);
      expect(lines[0]).toMatch(/^KEY +PURPOSE +STATE +FROM +TO$/);
      for (const { kid, purpose, state, secret } of keys) {
        expect(lines.join('\n')).toContain(kid);
        expect(lines.join('\n')).toMatch(new RegExp(`${purpose} +${state}`));
        expect(lines.join('\n')).not.toContain(secret.toString('base64'));
      }
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });

  async function answerTo(...args: string[]): Promise<string[]> {
    const lines: string[] = [];
    const io = {
      out: (line: string) => void lines.push(line),
      say: () => undefined,
      colors: createColors(false),
      interactive: false,
      unread: new AbortController().signal,
    };
    expect(await run(args, io)).toBe(0);
    return lines;
  }
});
