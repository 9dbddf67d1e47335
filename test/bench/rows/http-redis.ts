import { Agent, request } from 'node:http';
import { join } from 'node:path';

import { Redis } from 'ioredis';

import { message, start, stop } from '../harness/process.js';
import { atMost, type Row, type RowContext } from '../harness/row.js';
import { median, pairedRatio, quantile } from '../harness/statistics.js';
import type { CachedReady } from './cached-server.js';
import { headersOf, type Server } from './http-side.js';
import { startRedis } from './redis-side.js';

const PATH = '/sem/user/profile/user_bench/favorite_color';
const PAIRS = 1_000;
const WANTED_MS = 0.2;

interface Side extends Server {
  get(): Promise<number>;
}

/** One read at a time, in turn by a process that has it in memory and by one that has it from Redis. */
export const httpRedis: Row = {
  name: 'http-redis',
  async run(context) {
    const redis = await startRedis();
    if (redis === null) {
      console.error('http-redis: not measured: no redis-server on this machine, and no REDIS_URL');
      return [];
    }
    const sides: Side[] = [];
    try {
      sides.push(await open(join(context.folder, 'memory'), {}));
      sides.push(await open(join(context.folder, 'redis'), { MACE_CACHE: 'redis', REDIS_URL: redis.url }));
      return [await measure(context, sides[0]!, sides[1]!, redis.url)];
    } finally {
      for (const side of sides) await side.close();
      await redis.close();
    }
  },
};

async function measure({ rounds, scale, say }: RowContext, memory: Side, redis: Side, url: string) {
  const pairs = Math.ceil(PAIRS * scale);
  const hitsBefore = await hits(url);
  const medians = { memory: [] as number[], redis: [] as number[], more: [] as number[], p99: [] as number[] };
  for (let round = 0; round <= rounds; round++) {
    say(`round ${round}`);
    const times = { memory: [] as number[], redis: [] as number[] };
    for (let i = 0; i < pairs; i++) {
      times.memory.push(await memory.get());
      times.redis.push(await redis.get());
    }
    if (round === 0) continue;
    medians.memory.push(median(times.memory));
    medians.redis.push(median(times.redis));
    medians.more.push(median(times.redis) - median(times.memory));
    medians.p99.push(quantile(times.redis, 0.99));
  }
  const more = median(medians.more);
  return {
    name: 'GET /sem over HTTP, one at a time, with Redis',
    unit: 'ms',
    figure: median(medians.redis),
    baseline: median(medians.memory),
    baselineName: 'the same request to a process that has the state in memory',
    ratio: pairedRatio(medians.redis, medians.memory),
    aims: [atMost('more, ms', more, WANTED_MS, 'time')],
    details: {
      'more ms': more,
      'p99 ms': median(medians.p99),
      'served by Redis': ((await hits(url)) - hitsBefore) / (pairs * (rounds + 1)),
    },
  };
}

/** How often Redis has found what it was asked for, since it runs. */
async function hits(url: string): Promise<number> {
  const client = new Redis(url);
  try {
    return Number(/keyspace_hits:(\d+)/.exec(await client.info('stats'))?.[1]);
  } finally {
    client.disconnect();
  }
}

async function open(folder: string, env: Readonly<Record<string, string>>): Promise<Side> {
  const child = start(new URL('./cached-server.js', import.meta.url), { args: [folder], env });
  const { port } = await message<CachedReady>(child, 'ready');
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const headers = await headersOf(folder, 'bench');
  const call = (method: string, body?: string): Promise<void> =>
    new Promise((resolve, reject) => {
      const sent = request({ host: '127.0.0.1', port, path: PATH, method, headers, agent }, (answer) => {
        answer.resume().on('end', () => {
          if (answer.statusCode === 200) resolve();
          else reject(new Error(`${method} ${PATH} was answered ${answer.statusCode}`));
        });
      });
      sent.on('error', reject).end(body);
    });
  await call('PUT', JSON.stringify({ value: 'blue' }));
  return {
    url: `http://127.0.0.1:${port}`,
    pid: child.pid!,
    get: async () => {
      const began = performance.now();
      await call('GET');
      return performance.now() - began;
    },
    close: async () => {
      agent.destroy();
      await stop(child);
    },
  };
}
