import { join } from 'node:path';

import { start } from '../harness/process.js';
import { atLeast, type Row, type RowContext } from '../harness/row.js';
import { inTurn, type Pairs } from './http-pairs.js';
import { bareServer, headersOf, type Server, startMace } from './http-side.js';

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
    const pairs = await measure(context);
    return [
      {
        name: `list of ${ITEMS} items by GraphQL, both signed`,
        unit: 'requests/s',
        baselineName: 'bare Mercurius with JIT that answers the same query with the same items, signed in the same way',
        ...pairs,
        aims: [atLeast('ratio', pairs.ratio, 0.5)],
      },
    ];
  },
};

/** Both servers run for the whole row, each in its own process. */
async function measure(context: RowContext): Promise<Pairs> {
  const data = join(context.folder, 'data');
  const mace = await startMace(data);
  try {
    const headers = await headersOf(data, 'bench');
    for (let i = 0; i < ITEMS; i++) await post(`${mace.url}/jobs`, headers, { query_text: `${i} + ${i}` });
    const answer = await listed(mace.url, headers);
    const bare = await startBare(answer);
    try {
      if ((await list(bare.url, headers)) !== answer) throw new Error('the two answer differently');
      const order = { method: 'POST', path: PATH, headers, bodies: [BODY] } as const;
      return await inTurn(context, { baseline: bare, measured: mace }, order);
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

function startBare(answer: string): Promise<Server> {
  const { data } = JSON.parse(answer) as Answer;
  const args = [JSON.stringify(data)];
  return bareServer(start(new URL('./graphql-bare.js', import.meta.url), { args, nodeFlags: process.execArgv }));
}
