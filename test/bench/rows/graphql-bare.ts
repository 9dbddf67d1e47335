import 'reflect-metadata';

import type { AddressInfo } from 'node:net';

import { fastify } from 'fastify';
import mercurius from 'mercurius';

import { fixtureKeyRing } from '#lib/access';
import { ResponseSigner } from '#lib/signatures';

import { signAnswers } from '../../../apps/api/src/edge/answer-signing.js';
import type { BareReady } from './bare-server.js';

/** The same types as ours, of what the row asks for. */
const SCHEMA = `
  type JobRow { job_id: String job_seed: String user_id: String status: String agent_id: String route_reason: String
    final_confidence: Float created_at: String sealed: Boolean position: Float }
  type JobRowEdge { cursor: String node: JobRow }
  type PageInfo { hasNextPage: Boolean! endCursor: String }
  type JobRowConnection { edges: [JobRowEdge]! pageInfo: PageInfo! }
  type Failed { error_code: String }
  union JobsOutcome = JobRowConnection | Failed
  type Query { jobs(first: Int): JobsOutcome! }
`;

/** `graphql-bare.js ANSWER`: Mercurius as it stands on Fastify, with JIT, over an answer that is there; it signs. */
const { jobs } = JSON.parse(process.argv[2] ?? '{}') as { readonly jobs: object };
const answer = { ...jobs, __typename: 'JobRowConnection' };

const app = fastify();
signAnswers(app, { signer: new ResponseSigner(fixtureKeyRing().active('response-signature')), now: Date.now });
await app.register(mercurius, {
  schema: SCHEMA,
  resolvers: {
    Query: { jobs: () => Promise.resolve(answer) },
    JobsOutcome: { resolveType: ({ __typename }: typeof answer) => __typename },
  },
  jit: 1,
});
await app.listen({ host: '127.0.0.1', port: 0 });
const { port } = app.server.address() as AddressInfo;
process.send!({ kind: 'ready', port } satisfies BareReady);
process.once('SIGTERM', () => void app.close().then(() => process.exit()));
