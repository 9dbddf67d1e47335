import { join } from 'node:path';

import { atLeast, type Line, type Row, type RowContext } from '../harness/row.js';
import { interleave, median, pairedRatio } from '../harness/statistics.js';
import { PROFILE_QUERY, SUM_QUERY } from './app-side.js';
import { CONNECTIONS, headersOf, load, startBare, startMace } from './http-side.js';
import type { LoadOrder } from './load-process.js';

const SECONDS = 4;
const VALUE_PATH = '/sem/user/profile/user_bench/favorite_color';

/** Whole jobs over HTTP, half profile lookups and half sums. */
export const httpJob: Row = {
  name: 'http-job',
  async run(context) {
    const bodies = [PROFILE_QUERY, SUM_QUERY].map((query_text) => JSON.stringify({ query_text }));
    const { figures, p99s } = await measure(context, { method: 'POST', path: '/jobs', bodies });
    const figure = median(figures.measured);
    return [
      {
        ...lineOf('full job over HTTP, 64 connections', 'jobs/s', figures),
        aims: [atLeast('rate', figure, 600, 'rate')],
        details: { 'p99 ms': median(p99s), connections: CONNECTIONS },
      },
    ];
  },
};

export const httpSem: Row = {
  name: 'http-sem',
  async run(context) {
    const { figures, p99s } = await measure(context, { method: 'GET', path: VALUE_PATH, bodies: [] });
    const line = lineOf('GET /sem over HTTP', 'requests/s', figures);
    return [
      {
        ...line,
        aims: [atLeast('ratio', line.ratio, 0.5)],
        details: { 'p99 ms': median(p99s), connections: CONNECTIONS },
      },
    ];
  },
};

/** What MACE does beside signing, which is most of the work of a small answer. */
export const httpSemSigned: Row = {
  name: 'http-sem-signed',
  async run(context) {
    const { figures, p99s } = await measure(context, { method: 'GET', path: VALUE_PATH, bodies: [], signed: true });
    const line = lineOf('GET /sem over HTTP, both signed', 'requests/s', figures);
    return [
      {
        ...line,
        baselineName: 'a bare Nest+Fastify route with the same answer, signed in the same way',
        aims: [atLeast('ratio', line.ratio, 0.8)],
        details: { 'p99 ms': median(p99s), connections: CONNECTIONS },
      },
    ];
  },
};

interface Route extends Pick<LoadOrder, 'method' | 'bodies'> {
  readonly path: string;
  /** Whether the bare route signs its answers too. */
  readonly signed?: boolean;
}

/** Both servers run for the whole row, each in its own process; autocannon, in a third, loads one at a time. */
async function measure({ folder, rounds, scale, say }: RowContext, { method, path, bodies, signed = false }: Route) {
  const data = join(folder, 'data');
  const mace = await startMace(data);
  try {
    const headers = await headersOf(data, 'bench');
    const value = await call(`${mace.url}${VALUE_PATH}`, 'PUT', headers, JSON.stringify({ value: 'blue' }));
    const answer = method === 'POST' ? await call(`${mace.url}${path}`, method, headers, bodies[0]) : null;
    const known = answer ?? (await call(`${mace.url}${path}`, method, headers, undefined));
    if (value === '' || known === '') throw new Error('the server answers nothing');
    const bare = await startBare(path, known, signed);
    try {
      const p99s: number[] = [];
      const order = { method, headers, bodies, connections: CONNECTIONS, seconds: Math.max(1, SECONDS * scale) };
      const figures = await interleave(
        {
          baseline: async () => (await load({ ...order, url: `${bare.url}${path}` })).perSecond,
          measured: async () => {
            const { perSecond, p99Ms } = await load({ ...order, url: `${mace.url}${path}` });
            p99s.push(p99Ms);
            return perSecond;
          },
        },
        { rounds, onTask: (task, round) => say(`round ${round}, ${task}`) },
      );
      return { figures, p99s: p99s.slice(-rounds) };
    } finally {
      await bare.close();
    }
  } finally {
    await mace.close();
  }
}

function lineOf(
  name: string,
  unit: string,
  { baseline, measured }: Record<'baseline' | 'measured', number[]>,
): Omit<Line, 'aims' | 'details'> & { readonly ratio: number } {
  return {
    name,
    unit,
    figure: median(measured),
    baseline: median(baseline),
    baselineName: 'a bare Nest+Fastify route with the same request and the same answer',
    ratio: pairedRatio(measured, baseline),
  };
}

async function call(
  url: string,
  method: string,
  headers: Record<string, string>,
  body: string | undefined,
): Promise<string> {
  const reply = await fetch(url, { method, headers, ...(body === undefined ? {} : { body }) });
  const text = await reply.text();
  if (!reply.ok) throw new Error(`${method} ${new URL(url).pathname} was answered ${reply.status}: ${text}`);
  return text;
}
