/**
 * Whether the process of this container answers with 200: `node healthcheck.mjs /health/ready [port]`. Exit code 0 or 1,
 * and why on stderr. The image holds no curl.
 */
import { get } from 'node:http';

const WAIT_MS = 4000;
const [path = '/health/live', port = process.env.MACE_PORT || '3000'] = process.argv.slice(2);

const fail = (reason) => {
  process.stderr.write(`${path} on port ${port}: ${reason}\n`);
  process.exit(1);
};

// Where it listens on one address of several, that one is asked.
const listened = process.env.MACE_HOST || '127.0.0.1';
const host = listened === '0.0.0.0' ? '127.0.0.1' : listened === '::' ? '::1' : listened;
get({ host, port, path, timeout: WAIT_MS, agent: false }, ({ statusCode }) => {
  if (statusCode !== 200) fail(`answers ${statusCode}`);
  process.exit(0);
})
  .on('timeout', () => fail(`does not answer within ${WAIT_MS / 1000} s`))
  .on('error', ({ code, message }) => fail(code || message));
