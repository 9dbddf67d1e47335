import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { filesBelow } from './live-folder.js';

/** Replaces one file as a server does: a whole new file beside it, renamed over it, thousands of times a second. */
const REPLACING = `
const { writeFileSync, renameSync } = require('node:fs');
const path = process.argv[1];
const replace = (turn) => { writeFileSync(path + '.' + turn + '.new', 'kept'); renameSync(path + '.' + turn + '.new', path); };
replace(0);
process.stdout.write('begun');
for (let turn = 1; ; turn++) replace(turn);
`;

describe('a folder that a server writes to', () => {
  const folder = mkdtempSync(join(tmpdir(), 'mace-live-folder-'));
  const server = spawn(process.execPath, ['-e', REPLACING, join(folder, 'checkpoint')]);

  beforeAll(() => new Promise((resolve) => server.stdout.once('data', resolve)));
  afterAll(async () => {
    const ended = new Promise((resolve) => server.once('exit', resolve));
    server.kill('SIGKILL');
    await ended;
    rmSync(folder, { recursive: true });
  });

  it('shows a file that is replaced meanwhile each time it is read', () => {
    for (let turn = 0; turn < 200; turn++) {
      expect(filesBelow(folder).some(({ bytes }) => bytes.toString() === 'kept')).toBe(true);
    }
  });
});
