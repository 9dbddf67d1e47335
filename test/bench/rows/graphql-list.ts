import { join } from 'node:path';

import { message, start, stop } from '../harness/process.js';
import { atLeast, type Row, type RowContext } from '../harness/row.js';
import { interleave, median, pairedRatio } from '../harness/statistics.js';
import type { BareReady } from './bare-server.js';
import { CONNECTIONS, headersOf, load, startMace, type Server } from './http-side.js';

const SECONDS = 4;
const ITEMS = 20;
const PATH = '/graphql';
const QUERY = `{ jobs(first: ${ITEMS}) { ... on JobRowConnection { edges { cursor node { job_id job_seed user_id status agent_id route_reason final_confidence created_at sealed position } } pageInfo { hasNextPage endCursor } } } }`;
const BODY = JSON.stringify({ query: QUERY });
const PATIENCE_MS = 30_000;

interface Answer {
  readonly data: { readonly jobs: { readonly edges: readonly unknown[] } };
}

/** A list of twenty items by GraphQL, compiled on both sides and signed by both. */
export const graphqlList: Row = {
  name: 'graphql-list',
  async run(context) {
    const { figures, p99s } = await measure(context);
    const { measured, baseline } = figures;
    const ratio = pairedRatio(measured, baseline);
    return [
      {
        name: `list of ${ITEMS} items by GraphQL, both signed`,
        unit: 'requests/s',
        figure: median(measured),
        baseline: median(baseline),
        baselineName: 'bare Mercurius with JIT that answers the same query with the same items, signed in the same way',
        ratio,
        aims: [atLeast('ratio', ratio, 0.5)],
        details: { 'p99 ms': median(p99s), connections: CONNECTIONS },
      },
    ];
  },
};

/** Both servers run for the whole row, each in its own process; autocannon, in a third, loads one at a time. */
async function measure({ folder, rounds, scale, say }: RowContext) {
  const data = join(folder, 'data');
  const mace = await startMace(data);
  try {
    const headers = await headersOf(data, 'bench');
    for (let i = 0; i < ITEMS; i++) await post(`${mace.url}/jobs`, headers, { query_text: `${i} + ${i}` });
    const answer = await listed(mace.url, headers);
    const bare = await startBare(answer);
    try {
      if ((await list(bare.url, headers)) !== answer) throw new Error('the two answer differently');
      const p99s: number[] = [];
      const seconds = Math.max(1, SECONDS * scale);
      const order = { method: 'POST', headers, bodies: [BODY], connections: CONNECTIONS, seconds } as const;
      const figures = await interleave(
        {
          baseline: async () => (await load({ ...order, url: bare.url + PATH })).perSecond,
          measured: async () => {
            const { perSecond, p99Ms } = await load({ ...order, url: mace.url + PATH });
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

/** The list as it is answered once all of it is there: lists are eventual. */
async function listed(url: string, headers: Record<string, string>): Promise<string> {
  const deadline = performance.now() + PATIENCE_MS;
  for (;;) {
    const answer = await list(url, headers);
    if ((JSON.parse(answer) as Answer).data.jobs.edges.length === ITEMS) return answer;
    if (performance.now() > deadline) throw new Error(`the list was answered ${answer}`);
  }
}

function list(url: string, headers: Record<string, string>): Promise<string> {
  return post(url + PATH, headers, { query: QUERY });
}

async function post(url: string, headers: Record<string, string>, body: object): Promise<string> {
  const reply = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) });
  const text = await reply.text();
  if (!reply.ok) throw new Error(`POST ${new URL(url).pathname} was answered ${reply.status}: ${text}`);
  return text;
}

async function startBare(answer: string): Promise<Server> {
  const { data } = JSON.parse(answer) as Answer;
  const child = start(new URL('./graphql-bare.js', import.meta.url), { args: [JSON.stringify(data)] });
  const { port } = await message<BareReady>(child, 'ready');
  return { url: `http://127.0.0.1:${port}`, close: () => stop(child) };
}
