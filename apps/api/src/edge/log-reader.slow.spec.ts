import { mkdtempSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { until } from '../../../../test/support/eventually.js';
import { ServedProcess } from '../../../../test/support/served-process.js';

/** A server whose log nobody reads for a while. */

jest.setTimeout(300_000);

const REQUESTS = 12_000;
const CONNECTIONS = 4;
/** Of one log line at debug, whatever else is logged. */
const LINE = 'GET (no route)';

let folder: string;
let server: ServedProcess;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'mace-log-reader-'));
  server = await ServedProcess.start(join(folder, 'data'), { MACE_LOG_LEVEL: 'debug' });
});
afterAll(async () => {
  await server.kill();
  rmSync(folder, { recursive: true, force: true });
});

/** Asks one after another over one connection. @returns how many were answered */
function asked(requests: number): Promise<number> {
  const { hostname: host, port } = new URL(server.url);
  return new Promise((resolve, reject) => {
    let answers = 0;
    let rest = '';
    const socket = connect({ host, port: Number(port) });
    const ask = (): boolean => socket.write('GET /nowhere HTTP/1.1\r\nhost: x\r\n\r\n');
    socket.on('connect', ask).on('error', reject);
    socket.on('data', (chunk: Buffer) => {
      rest += chunk.toString('latin1');
      if (!rest.endsWith('}')) return;
      rest = '';
      answers += 1;
      if (answers < requests) return void ask();
      socket.destroy();
      resolve(answers);
    });
  });
}

const linesIn = (log: string): number => log.split('\n').filter((line) => line.includes(LINE)).length;
const droppedIn = (log: string): number =>
  [...log.matchAll(/lines were dropped.* lines=(\d+)/g)].reduce((sum, [, lines]) => sum + Number(lines), 0);

it('answers on, and tells what it dropped once somebody reads; at its end nothing is lost', async () => {
  server.leaveUnread();
  const answers = await Promise.all(Array.from({ length: CONNECTIONS }, () => asked(REQUESTS / CONNECTIONS)));
  expect(answers).toEqual(Array.from({ length: CONNECTIONS }, () => REQUESTS / CONNECTIONS));
  server.readOn();
  await until(() => droppedIn(server.log()) > 0, 'the line that counts what was dropped');
  const told = linesIn(server.log()) + droppedIn(server.log());
  expect(told).toBeGreaterThanOrEqual(REQUESTS);
  expect(told).toBeLessThan(REQUESTS + 500);
  const before = linesIn(server.log());
  expect(await asked(300)).toBe(300);
  expect(await server.stop()).toBe(0);
  expect(linesIn(server.log()) - before).toBe(300);
});
