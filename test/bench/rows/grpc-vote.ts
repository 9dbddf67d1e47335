import { join } from 'node:path';

import { message, start, stop } from '../harness/process.js';
import { atLeast, type Row } from '../harness/row.js';
import { interleave, median, pairedRatio, quantile } from '../harness/statistics.js';
import type { EchoReady } from './grpc-echo.js';
import { CONNECTIONS, startMace } from './http-side.js';
import { freePort } from '../../support/free-port.js';
import { RoomCaller, tokensOf } from './room-side.js';

const VOTES = 12_800;
const CRITICS = Array.from({ length: CONNECTIONS }, (_, i) => `critic-${i}`);
/** Votes on nothing, so that no negotiation is decided while it is measured. */
const SILENT = 'critic-silent';
const MAKER = 'maker';
const ASKED = [...CRITICS, SILENT];

/** Votes of 64 callers, each stored before it is answered; the callers go through the artifacts from different ends. */
export const grpcVote: Row = {
  name: 'grpc-vote',
  async run({ folder, rounds, scale, say }) {
    const data = join(folder, 'data');
    const port = await freePort();
    const mace = await startMace(data, { MACE_GRPC_PORT: String(port) });
    const echo = start(new URL('./grpc-echo.js', import.meta.url));
    const room = new RoomCaller(port, await tokensOf(data, [MAKER, ...CRITICS]));
    try {
      const bare = new RoomCaller((await message<EchoReady>(echo, 'ready')).port, new Map());
      const artifacts = Math.ceil((VOTES * scale) / CRITICS.length);
      const waits: number[] = [];
      let round = 0;
      const figures = await interleave(
        {
          baseline: () => votes(bare, names(`bare-${round}`, artifacts), []),
          measured: async () => {
            const ids = names(`round-${round++}`, artifacts);
            for (const id of ids) await room.propose(MAKER, id, ASKED);
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
async function votes(caller: RoomCaller, artifacts: readonly string[], waits: number[]): Promise<number> {
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
