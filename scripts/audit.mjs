/**
 * `node scripts/audit.mjs`: known weaknesses of the locked packages, asked of the registry. Exit code 0: none; 1: some,
 * named; 3: the registry did not answer, so nothing is known.
 */
import { npm } from './lib/npm.mjs';

// The lock file says all there is to ask; a registry that is out of reach shall not hold up the other checks.
const QUICKLY = ['--fetch-retries=0', '--fetch-timeout=15000', '--loglevel=silent'];

const { vulnerabilities, error, message } = await answer();
for (const { name, severity, via } of Object.values(vulnerabilities ?? {})) {
  const why = via.map((one) =>
    typeof one === 'string' ? `through ${one}` : `${one.title}, ${one.range} (${one.url})`,
  );
  console.log(`${severity}: ${name}: ${why.join('; ')}`);
  process.exitCode = 1;
}
if (!vulnerabilities) {
  const reason = error?.summary || error?.code || message || 'npm said nothing that can be read';
  console.log(`NOT AUDITED: the registry gives no answer about known weaknesses (${reason}).`);
  console.log('Nothing is known about the packages: run `npm audit` where the registry can be reached.');
  process.exitCode = 3;
}

async function answer() {
  try {
    const { output } = await npm(['audit', '--json', '--package-lock-only', ...QUICKLY], 'pipe');
    return JSON.parse(output);
  } catch (error) {
    return { message: error.message };
  }
}
