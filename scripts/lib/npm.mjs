import { spawn } from 'node:child_process';
import { root } from './root.mjs';

/**
 * Runs the npm that started us, else the one on the path.
 * @param stdout where its output goes; its messages go to stderr
 * @returns its exit code and what it wrote to a pipe
 */
export function npm(args, stdout = 2) {
  const script = process.env.npm_execpath;
  const isWindows = process.platform === 'win32';
  const byScript = script?.endsWith('.js');
  const child = byScript
    ? spawn(process.execPath, [script, ...args], { cwd: root, stdio: ['ignore', stdout, 2] })
    : spawn(isWindows ? 'npm.cmd' : 'npm', args, { cwd: root, stdio: ['ignore', stdout, 2], shell: isWindows });
  let output = '';
  child.stdout?.on('data', (chunk) => (output += chunk));
  return new Promise((resolve, reject) => child.on('error', reject).on('close', (code) => resolve({ code, output })));
}
