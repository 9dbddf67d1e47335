/**
 * `node scripts/audit.mjs`: known weaknesses of the locked packages, asked of the registry. Exit code 0: none; 1: some,
 * named; 3: the registry did not answer, so nothing is known.
 */
import { spawn } from 'node:child_process';
import { root } from './lib/root.mjs';

const UNKNOWN = 3;
// The lock file says all there is to ask; a registry that is out of reach shall not hold up the other checks.
const ARGS = ['audit', '--json', '--package-lock-only', '--fetch-retries=0', '--fetch-timeout=15000'];

const { vulnerabilities, error, message } = answerOf(await npm());
if (vulnerabilities) report(Object.values(vulnerabilities));
else unknown(error?.summary || error?.code || message || 'npm said nothing that can be read');

function report(found) {
  for (const { name, severity, via } of found) {
    const why = via.map((one) =>
      typeof one === 'string' ? `through ${one}` : `${one.title}, ${one.range} (${one.url})`,
    );
    console.log(`${severity}: ${name}: ${why.join('; ')}`);
  }
  if (found.length > 0) process.exitCode = 1;
}

function unknown(reason) {
  console.log(`NOT AUDITED: the registry gives no answer about known weaknesses (${reason}).`);
  console.log('Nothing is known about the packages: run `npm audit` where the registry can be reached.');
  process.exitCode = UNKNOWN;
}

function answerOf(output) {
  try {
    return JSON.parse(output);
  } catch {
    return {};
  }
}

/** The npm that started us, else the one on the path. */
function npm() {
  const script = process.env.npm_execpath;
  const byPath = process.platform === 'win32' ? 'npm.cmd' : 'npm';
  const [command, before] = script?.endsWith('.js') ? [process.execPath, [script]] : [byPath, []];
  const child = spawn(command, [...before, ...ARGS], {
    cwd: root,
    stdio: ['ignore', 'pipe', 'ignore'],
    shell: command === 'npm.cmd',
  });
  const output = [];
  child.stdout.on('data', (chunk) => output.push(chunk));
  return new Promise((resolve) => {
    child.on('error', () => resolve('')).on('close', () => resolve(Buffer.concat(output).toString()));
  });
}
