import { join } from 'node:path';

import { Client, credentials, Metadata, type MethodDefinition } from '@grpc/grpc-js';

import { loadDefinitions } from '../../../apps/negotiation/src/proto/definitions.js';
import { message, start, stop } from '../harness/process.js';
import { atLeast, type Row } from '../harness/row.js';
import { interleave, median, pairedRatio, quantile } from '../harness/statistics.js';
import type { EchoReady } from './grpc-echo.js';
import { CONNECTIONS, headersOf, startMace } from './http-side.js';
import { freePort } from './redis-side.js';

const VOTES = 12_800;
const CRITICS = Array.from({ length: CONNECTIONS }, (_, i) => `critic-${i}`);
/** Votes on nothing, so that no negotiation is decided while it is measured. */
const SILENT = 'critic-silent';
const MAKER = 'maker';

type Says = ReadonlyMap<string, Metadata>;

/** Votes of 64 callers, each stored before it is answered; the callers go through the artifacts from different ends. */
export const grpcVote: Row = {
  name: 'grpc-vote',
  async run({ folder, rounds, scale, say }) {
    const data = join(folder, 'data');
    const port = await freePort();
    const mace = await startMace(data, { MACE_GRPC_PORT: String(port) });
    const echo = start(new URL('./grpc-echo.js', import.meta.url));
    const room = new Caller(port, await tokens(data));
    try {
      const bare = new Caller((await message<EchoReady>(echo, 'ready')).port, new Map());
      const artifacts = Math.ceil((VOTES * scale) / CRITICS.length);
      const waits: number[] = [];
      let round = 0;
      const figures = await interleave(
        {
          baseline: () => votes(bare, names(`bare-${round}`, artifacts), []),
          measured: async () => {
            const ids = names(`round-${round++}`, artifacts);
            for (const id of ids) await room.propose(id);
            return votes(room, ids, waits);
          },
        },
        { rounds, onTask: (task, nth) => say(`round ${nth}, ${task}`) },
      );
      bare.close();
      const figure = median(figures.measured);
      const ratio = pairedRatio(figures.measured, figures.baseline);
      return [
        {
          name: 'SubmitVote over gRPC, 64 callers',
          unit: 'votes/s',
          figure,
          baseline: median(figures.baseline),
          baselineName: 'a bare server of @grpc/grpc-js that answers the same message',
          ratio,
          aims: [atLeast('rate', figure, 3_000, 'rate'), atLeast('ratio', ratio, 0.4)],
          details: { 'p99 ms': quantile(waits, 0.99), callers: CRITICS.length },
        },
      ];
    } finally {
      room.close();
      await stop(echo);
      await mace.close();
    }
  },
};

/** @param waits takes how long each vote was waited for, ms @returns votes a second */
async function votes(caller: Caller, artifacts: readonly string[], waits: number[]): Promise<number> {
  const begun = performance.now();
  const each = CRITICS.map(async (critic, i) => {
    const first = Math.floor((i * artifacts.length) / CRITICS.length);
    for (let n = 0; n < artifacts.length; n++) {
      const asked = performance.now();
      await caller.vote(critic, artifacts[(first + n) % artifacts.length]!);
      waits.push(performance.now() - asked);
    }
  });
  await Promise.all(each);
  return (artifacts.length * CRITICS.length * 1000) / (performance.now() - begun);
}

function names(prefix: string, count: number): readonly string[] {
  return Array.from({ length: count }, (_, i) => `${prefix}-${i}`);
}

async function tokens(data: string): Promise<Says> {
  const says = new Map<string, Metadata>();
  for (const who of [MAKER, ...CRITICS]) {
    const { authorization } = await headersOf(data, who, 'agent');
    const metadata = new Metadata();
    metadata.set('authorization', authorization!);
    says.set(who, metadata);
  }
  return says;
}

class Caller {
  private readonly client: Client;
  private readonly room = loadDefinitions().room;

  constructor(
    port: number,
    private readonly says: Says,
  ) {
    this.client = new Client(`127.0.0.1:${port}`, credentials.createInsecure());
  }

  vote(critic_id: string, artifact_id: string): Promise<void> {
    const words = { strengths: ['it is clear'], weaknesses: [], recommendations: ['say who does it'] };
    const vote = { artifact_id, critic_id, score: 8, confidence: 0.9, passed: true, ...words };
    return this.call('SubmitVote', { vote }, critic_id);
  }

  propose(artifact_id: string): Promise<void> {
    const proposal = {
      artifact_id,
      producer_id: MAKER,
      artifact: Buffer.from('a plan'),
      artifact_content_type: 'application/octet-stream',
      requested_critics: [...CRITICS, SILENT],
      vote_collection_timeout_s: 86_400,
    };
    return this.call('SubmitProposal', { proposal }, MAKER);
  }

  close(): void {
    this.client.close();
  }

  private call(name: string, request: object, who: string): Promise<void> {
    const { path, requestSerialize, responseDeserialize } = this.room[name] as MethodDefinition<object, object>;
    const metadata = this.says.get(who) ?? new Metadata();
    return new Promise((done, failed) =>
      this.client.makeUnaryRequest(path, requestSerialize, responseDeserialize, request, metadata, {}, (error) =>
        error ? failed(error) : done(),
      ),
    );
  }
}
