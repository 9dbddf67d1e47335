import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { ROLES } from './closed-lists.js';
import { placesOf, SHELLS } from './commands/completion/words.js';
import { program } from './program.js';
import { mace } from './testing/mace.js';

const has = (shell: string): boolean => {
  try {
    execFileSync(shell, ['-c', 'exit 0']);
    return true;
  } catch {
    return false;
  }
};

type Test = (name: string, test: () => void) => void;

/** bash is there wherever the tests run; what another does is tried where it is. */
const itIn = (shell: string): Test =>
  has(shell) ? it : (name) => it.skip(`${name} [not run: there is no ${shell} on this machine]`, () => undefined);

let folder: string;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'mace-completion-'));
  for (const shell of SHELLS) {
    const { code, out, err } = await mace('completion', shell);
    expect([shell, code, err]).toEqual([shell, 0, '']);
    writeFileSync(join(folder, shell), `${out}\n`);
  }
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** What bash offers for the last of these words. */
function offered(...words: readonly string[]): readonly string[] {
  const line = words.map((word) => `'${word}'`).join(' ');
  const script = `source '${join(folder, 'bash')}'; COMP_WORDS=(${line}); COMP_CWORD=${words.length - 1}; _mace; printf '%s\\n' "\${COMPREPLY[@]}"`;
  return execFileSync('bash', ['-c', script])
    .toString()
    .split('\n')
    .filter((word) => word !== '');
}

/** What fish offers for the last of these words, in the order of the alphabet. */
function offeredByFish(words: readonly string[]): readonly string[] {
  const script = `source '${join(folder, 'fish')}'; complete -C '${words.join(' ')}'`;
  const told = execFileSync('fish', ['--no-config', '-c', script], { env: { ...process.env, HOME: folder } });
  return told
    .toString()
    .split('\n')
    .map((line) => line.split('\t')[0]!)
    .filter((word) => word !== '')
    .sort();
}

describe('mace completion', () => {
  it('is taken by bash, which then knows of mace', () => {
    const script = `set -eu; source '${join(folder, 'bash')}'; complete -p mace`;
    expect(execFileSync('bash', ['-c', script]).toString().trim()).toBe('complete -o default -F _mace mace');
  });

  it('completes commands, commands below them, options and the values that an option may have', () => {
    expect(offered('mace', 'pro')).toEqual(['projections', 'proof']);
    expect(offered('mace', 'projections', 'reb')).toEqual(['rebuild', 'rebuilds']);
    expect(offered('mace', '--data', 'projections', 'sem', 'hist')).toEqual(['history']);
    expect(offered('mace', 'sem', 'put', '--idem')).toEqual(['--idempotency-key']);
    expect(offered('mace', 'replay', 'job:1', '--mode', '')).toEqual(['audit', 'reexecute', 'production']);
    expect(offered('mace', '--json', 'governance', 'list', '--status', 'ap')).toEqual(['approved']);
    expect(offered('mace', 'completion', '')).toEqual(expect.arrayContaining(['bash', 'zsh', 'fish']));
    expect(offered('mace', 'sem', 'get', '--as-of', '--')).toEqual([]);
    expect(offered('mace', 'jobs', 'feedback', 'job:1', 'u')).toEqual(['up']);
    expect(offered('mace', 'projections', 'rebuild', 'act')).toEqual(['actionrequests']);
    expect(offered('mace', 'jobs', 'unreplayable', '--missing', 's')).toEqual(['snapshot']);
  });

  it('completes each of several values with commas between them', () => {
    expect(offered('mace', 'token', '--role', 'a')).toEqual(['agent', 'admin', 'auditor']);
    expect(offered('mace', 'token', '--role', 'user,adm')).toEqual(['user,admin']);
    expect(offered('mace', 'token', '--role', 'user,admin,')).toHaveLength(ROLES.length);
    expect(offered('mace', 'replay', 'job:1', '--mode', 'audit,')).toEqual([]);
  });

  it('offers bash each command of the tree where it stands, and each of its options', () => {
    const wrong: string[] = [];
    const all = placesOf(program(() => Promise.resolve()));
    expect(all.length).toBeGreaterThan(80);
    const script = all.map(({ path }) => `echo "${path}=$(_mace_words '${path}')"`).join('\n');
    const told = execFileSync('bash', ['-c', `source '${join(folder, 'bash')}'\n${script}`]).toString();
    const words = new Map(
      told
        .trimEnd()
        .split('\n')
        .map((line) => [line.split('=', 1)[0]!, line.split('=')[1]?.split(' ') ?? []]),
    );
    for (const { path, commands, flags } of all)
      for (const { text } of [...commands, ...flags])
        if (!words.get(path)?.includes(text)) wrong.push(`${path} ${text}`);
    expect(wrong).toEqual([]);
  });

  it('names each command of the tree to zsh and fish', () => {
    for (const shell of ['zsh', 'fish']) {
      const script = readFileSync(join(folder, shell), 'utf8');
      const missing = placesOf(program(() => Promise.resolve())).filter(({ path }) => !script.includes(`'${path}'`));
      expect([shell, missing.map(({ path }) => path)]).toEqual([shell, []]);
    }
  });

  for (const shell of ['zsh', 'fish'])
    itIn(shell)(`is taken by ${shell}`, () => {
      expect(execFileSync(shell, ['-n', join(folder, shell)]).toString()).toBe('');
    });

  itIn('fish')('completes the same in fish', () => {
    const lines = [
      ['mace', 'pro'],
      ['mace', '--data', 'projections', 'sem', 'hist'],
      ['mace', 'sem', 'put', '--idem'],
      ['mace', 'replay', 'job:1', '--mode', ''],
      ['mace', '--json', 'governance', 'list', '--status', 'ap'],
      ['mace', 'jobs', 'feedback', 'job:1', 'u'],
      ['mace', 'token', '--role', 'user,adm'],
    ];
    for (const words of lines) expect(offeredByFish(words)).toEqual([...offered(...words)].sort());
  });

  it('is refused for a shell that it does not know', async () => {
    expect((await mace('completion', 'tcsh')).code).toBe(64);
  });
});
