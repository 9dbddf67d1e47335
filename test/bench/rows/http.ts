import { join } from 'node:path';

import { atLeast, type Row, type RowContext } from '../harness/row.js';
import { PROFILE_QUERY, SUM_QUERY } from './app-side.js';
import { inTurn, type Pairs } from './http-pairs.js';
import { headersOf, startBare, startMace } from './http-side.js';
import type { LoadOrder } from './load-process.js';

const VALUE_PATH = '/sem/user/profile/user_bench/favorite_color';

/** Whole jobs over HTTP, half profile lookups and half sums. */
export const httpJob: Row = {
  name: 'http-job',
  async run(context) {
    const bodies = [PROFILE_QUERY, SUM_QUERY].map((query_text) => JSON.stringify({ query_text }));
    const pairs = await measure(context, { method: 'POST', path: '/jobs', bodies });
    const aims = [atLeast('rate', pairs.figure, 600, 'rate')];
    return [{ name: 'full job over HTTP, 64 connections', unit: 'jobs/s', baselineName: BARE, ...pairs, aims }];
  },
};

export const httpSem: Row = {
  name: 'http-sem',
  async run(context) {
    const pairs = await measure(context, { method: 'GET', path: VALUE_PATH, bodies: [] });
    const aims = [atLeast('ratio', pairs.ratio, 0.5)];
    return [{ name: 'GET /sem over HTTP', unit: 'requests/s', baselineName: BARE, ...pairs, aims }];
  },
};

/** What MACE does beside signing, which is most of the work of a small answer. */
export const httpSemSigned: Row = {
  name: 'http-sem-signed',
  async run(context) {
    const pairs = await measure(context, { method: 'GET', path: VALUE_PATH, bodies: [], signed: true });
    const aims = [atLeast('ratio', pairs.ratio, 0.8)];
    return [
      {
        name: 'GET /sem over HTTP, both signed',
        unit: 'requests/s',
        baselineName: 'a bare Nest+Fastify route with the same answer, signed in the same way',
        ...pairs,
        aims,
      },
    ];
  },
};

const BARE = 'a bare Nest+Fastify route with the same request and the same answer';

interface Route extends Pick<LoadOrder, 'method' | 'bodies'> {
  readonly path: string;
  /** Whether the bare route signs its answers too. */
  readonly signed?: boolean;
}

/** Both servers run for the whole row, each in its own process. */
async function measure(context: RowContext, { method, path, bodies, signed = false }: Route): Promise<Pairs> {
  const data = join(context.folder, 'data');
  const mace = await startMace(data);
  try {
    const headers = await headersOf(data, 'bench');
    const value = await call(`${mace.url}${VALUE_PATH}`, 'PUT', headers, JSON.stringify({ value: 'blue' }));
    const answer = method === 'POST' ? await call(`${mace.url}${path}`, method, headers, bodies[0]) : null;
    const known = answer ?? (await call(`${mace.url}${path}`, method, headers, undefined));
    if (value === '' || known === '') throw new Error('the server answers nothing');
    const bare = await startBare(path, known, signed);
    try {
      return await inTurn(context, { baseline: bare, measured: mace }, { method, path, headers, bodies });
    } finally {
      await bare.close();
    }
  } finally {
    await mace.close();
  }
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
