import { execFileSync } from 'node:child_process';
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
});
