import { execFileSync, spawnSync } from 'node:child_process';
import { resolve } from 'node:path';

describe('what a command prints', () => {
  it.each([{ CI: 'true' }, { CI: '' }, { TERM: 'xterm-256color' }])(
    'has no colour and no progress where no terminal reads it, with %j',
    (env) => {
      const io = resolve('dist/apps/cli/src/io.js');
      const script = `import { terminal } from ${JSON.stringify(io)}; const { colors, interactive } = terminal();
        process.stdout.write(JSON.stringify([colors.red('x'), interactive]));`;
      const args = ['--input-type=module', '--eval', script];
      expect(execFileSync(process.execPath, args, { env: { ...process.env, ...env }, encoding: 'utf8' })).toBe(
        '["x",false]',
      );
    },
  );

  it.each([
    ['| true', 2, ''],
    ['| head -c 1', 2, 'x'],
    ['> /dev/full', 1, ''],
  ])('leaves the exit code of a command as it is where its reader goes away: %s', (reader, code, seen) => {
    const io = resolve('dist/apps/cli/src/io.js');
    const script = `import { terminal } from ${JSON.stringify(io)}; const { out } = terminal();
      for (let i = 0; i < 2000; i++) out('x'.repeat(100));
      setTimeout(() => { out('x'); process.exitCode = 2; }, 200);`;
    const line = `"$0" --input-type=module --eval "$1" ${reader}; exit "\${PIPESTATUS[0]}"`;
    const ended = spawnSync('bash', ['-c', line, process.execPath, script], { encoding: 'utf8' });
    expect([ended.status, ended.stdout]).toEqual([code, seen]);
    expect(ended.stderr).toBe(
      code === 2 ? '' : 'mace: the answer could not be written: ENOSPC: no space left on device, write\n',
    );
  });

  it.each(['2>&1 >/dev/null | true', '2>/dev/full'])(
    'leaves the exit code of a command as it is where nobody takes what it says beside its answer: %s',
    (reader) => {
      const io = resolve('dist/apps/cli/src/io.js');
      const script = `import { terminal } from ${JSON.stringify(io)}; const { say } = terminal();
        for (let i = 0; i < 2000; i++) say('x'.repeat(100));
        setTimeout(() => { say('x'); process.exitCode = 2; }, 200);`;
      const line = `"$0" --input-type=module --eval "$1" ${reader}; exit "\${PIPESTATUS[0]}"`;
      expect(spawnSync('bash', ['-c', line, process.execPath, script]).status).toBe(2);
    },
  );
});
