import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { join } from 'node:path';

import { EXIT } from './exit-codes.js';
import { child } from './testing/child.js';
import { ServedFolder } from './testing/served-folder.js';

/** What a shell is told by each code (spec/api.md, "Command line"), from the built command line as a process. */

const KEY = 'user/profile/user_tuff/favorite_color';

let served: ServedFolder;
beforeAll(async () => {
  served = await ServedFolder.open('exit-codes');
  expect(await codeOf('sem', 'put', KEY, 'blue')).toBe(0);
});
afterAll(() => served.close());

async function codeOf(...args: readonly string[]): Promise<number | null> {
  return (await child(['--data', served.path, ...args])).code;
}

async function healthOfNothing(): Promise<number | null> {
  const elsewhere = `${served.path}-elsewhere`;
  const { code, out, err } = await child(['--data', elsewhere, 'health']);
  expect([out, err, existsSync(elsewhere)]).toEqual(['', expect.stringContaining('no server runs on'), false]);
  return code;
}

/** As by Ctrl-C once it has begun to print. */
async function interrupted(...args: readonly string[]): Promise<number | null> {
  const started = spawn(process.execPath, [join('dist', 'apps', 'cli', 'src', 'main.js'), ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  started.stdout.once('data', () => started.kill('SIGINT'));
  const [code] = (await once(started, 'close')) as [number | null];
  return code;
}

const CASES: Readonly<Record<keyof typeof EXIT, readonly [string, () => Promise<number | null>][]>> = {
  ok: [
    ['what was asked for is there', () => codeOf('sem', 'get', KEY)],
    ['help', () => codeOf('sem', '--help')],
  ],
  failure: [['what was asked for is not there', () => codeOf('sem', 'get', 'user/profile/user_tuff/nickname')]],
  divergence: [['something changed', () => codeOf('diff', '--from', '0')]],
  usage: [
    ['no such command', () => codeOf('semantics')],
    ['an option that the command does not have', () => codeOf('sem', 'get', KEY, '--loud')],
    ['a value of another form', () => codeOf('diff', '--from', 'yesterday')],
    ['a row that the benchmark does not have', () => codeOf('bench', 'nothing')],
  ],
  unavailable: [
    ['the folder is another server’s', () => codeOf('serve', '--port', '0')],
    ['no server runs, and none is begun by asking', healthOfNothing],
  ],
  denied: [
    ['personal data without consent', () => codeOf('sem', 'put', KEY, 'call +49 30 901820')],
    ['a token that is none', () => codeOf('--token', 'a.b.c', 'sem', 'get', KEY)],
  ],
  interrupted: [['Ctrl-C', () => interrupted('tour')]],
};

describe.each(Object.entries(CASES))('exit code of "%s"', (name, cases) => {
  it.each(cases)('%s', async (_, run) => {
    expect(await run()).toBe(EXIT[name as keyof typeof EXIT]);
  });
});

it('the codes are those of the contract', () => {
  expect(EXIT).toEqual({ ok: 0, failure: 1, divergence: 2, usage: 64, unavailable: 69, denied: 77, interrupted: 130 });
});
