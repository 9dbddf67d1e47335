import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import { inside } from '../../support/inside-server.js';
import { atMost, type Row } from '../harness/row.js';
import { median } from '../harness/statistics.js';
import { type Server, startMace } from './http-side.js';
import { freePort } from '../../support/free-port.js';
import { RoomCaller, tokensOf } from './room-side.js';

const NEGOTIATIONS = 10_000;
const CALLERS = 64;
const MAKER = 'maker';
const ROUND_MS = 20_000;
/** A server that works off what it was given uses more than this. */
const SETTLED_CORES = 0.05;
/** Of a minute: half a thousandth of a processor, about what the server itself takes. */
const MOST_MORE_MS = 30;
const SETTLES_MS = 120_000;

/** A server that writes its processor time to a file where it is told to. */
interface Idle extends Server {
  readonly port: number;
  readonly folder: string;
  /** Microseconds since its start, of all its threads. */
  cpu(): Promise<number>;
}

/**
 * Processor time of a server that nobody asks anything, with open negotiations and without, both at the same time so that
 * what else the machine does meets both.
 */
export const idleNegotiations: Row = {
  name: 'idle-negotiations',
  async run({ folder, rounds, scale, say }) {
    const open = Math.max(1, Math.round(NEGOTIATIONS * scale));
    const [full, empty] = [await startIdle(join(folder, 'full')), await startIdle(join(folder, 'empty'))];
    try {
      say(`${open} proposals`);
      await propose(full, open);
      say('what came of them is worked off');
      await settled(full);
      await settled(empty);
      const spent: { readonly full: number; readonly empty: number }[] = [];
      for (let i = 0; i <= rounds; i++) {
        say(`round ${i}`);
        const before = await Promise.all([full.cpu(), empty.cpu()]);
        const begun = performance.now();
        await sleep(ROUND_MS);
        const after = await Promise.all([full.cpu(), empty.cpu()]);
        // Microseconds in so many milliseconds are milliseconds in as many seconds.
        const minutes = (performance.now() - begun) / 60;
        spent.push({ full: (after[0] - before[0]) / minutes, empty: (after[1] - before[1]) / minutes });
      }
      const counted = spent.slice(1);
      const figure = median(counted.map((one) => one.full));
      const baseline = median(counted.map((one) => one.empty));
      const more = median(counted.map((one) => one.full - one.empty));
      return [
        {
          name: `${open} open negotiations`,
          unit: 'ms of processor time a minute',
          figure,
          baseline,
          baselineName: 'the same server at the same time, without any',
          ratio: figure / baseline,
          aims: [atMost('more than without any', more, MOST_MORE_MS)],
          details: { 'ms more a minute': more, 'seconds a round': ROUND_MS / 1000 },
        },
      ];
    } finally {
      await full.close();
      await empty.close();
    }
  },
};

async function startIdle(folder: string): Promise<Idle> {
  mkdirSync(folder, { recursive: true });
  const [port, told] = [await freePort(), join(folder, 'cpu')];
  const tells = `
    const { renameSync, writeFileSync } = await import('node:fs');
    process.on('SIGUSR2', () => {
      const { user, system } = process.cpuUsage();
      writeFileSync('${told}.new', String(user + system));
      renameSync('${told}.new', '${told}');
    });
  `;
  const server = await startMace(folder, { MACE_GRPC_PORT: String(port), ...inside(tells) });
  const cpu = async (): Promise<number> => {
    rmSync(told, { force: true });
    process.kill(server.pid, 'SIGUSR2');
    while (!existsSync(told)) await sleep(5);
    return Number(readFileSync(told, 'utf8'));
  };
  return { ...server, port, folder, cpu };
}

async function propose({ folder, port }: Idle, count: number): Promise<void> {
  const room = new RoomCaller(port, await tokensOf(folder, [MAKER]));
  let next = 0;
  const caller = async (): Promise<void> => {
    for (let nth = next++; nth < count; nth = next++) await room.propose(MAKER, `idle-${nth}`, ['ann', 'ben', 'cara']);
  };
  await Promise.all(Array.from({ length: CALLERS }, caller));
  room.close();
}

/** Until projections, the Merkle log and the collector have done what was left to them. @throws Error where they never have */
async function settled(server: Idle): Promise<void> {
  const deadline = performance.now() + SETTLES_MS;
  for (;;) {
    const [before, begun] = [await server.cpu(), performance.now()];
    await sleep(5000);
    const micros = (performance.now() - begun) * 1000;
    if (((await server.cpu()) - before) / micros < SETTLED_CORES) return;
    if (performance.now() > deadline) throw new Error('the server is never idle');
  }
}
