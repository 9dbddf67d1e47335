import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import type { WireDecision } from '../../apps/negotiation/src/proto/messages.js';
import { until } from '../support/eventually.js';
import { proposalBy, refusalOf, RoomClient, voteBy } from '../support/room-client.js';
import { ServedProcess, tokenFor } from '../support/served-process.js';
import { servedEventStore } from '../support/served-event-store.js';

const WINDOW_S = 20;
const LISTENING = /takes gRPC calls[^\n]* port=(\d+)/;

/** The Negotiation Room as a process of its own, killed in the middle of a window. */
describe('a room whose process is killed', () => {
  let folder: string;
  const tokens = new Map<string, string>();
  const token = (who: string): string => tokens.get(who)!;
  const start = async (): Promise<{ server: ServedProcess; room: RoomClient }> => {
    const server = await ServedProcess.start(folder, { MACE_GRPC_PORT: '0', MACE_LOG_LEVEL: 'info' });
    // What it wrote to stderr may come after what it wrote to stdout later.
    await until(() => Promise.resolve(LISTENING.test(server.log())));
    return { server, room: new RoomClient(Number(LISTENING.exec(server.log())![1]), token) };
  };

  beforeAll(async () => {
    folder = await mkdtemp(join(process.env['MACE_TEST_DISK'] ?? tmpdir(), 'mace-room-'));
    await servedEventStore(folder);
    for (const who of ['maker', 'ann', 'ben', 'cara']) tokens.set(who, tokenFor(folder, who, 'agent'));
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  it('still has both votes at the next start, refuses one of them again, and closes what came due meanwhile', async () => {
    const critics = ['ann', 'ben', 'cara', 'dan'];
    let { server, room } = await start();
    const begun = Date.now();
    await room.call(
      'maker',
      'SubmitProposal',
      proposalBy('maker', 'art-1', critics, { vote_collection_timeout_s: WINDOW_S }),
    );
    await room.call('ann', 'SubmitVote', voteBy('ann', 'art-1'));
    await room.call('ben', 'SubmitVote', voteBy('ben', 'art-1'));
    room.close();
    await server.kill();

    ({ server, room } = await start());
    expect(await refusalOf(room.call('ben', 'SubmitVote', voteBy('ben', 'art-1')))).toMatch(/^ALREADY_EXISTS CONFLICT/);
    await room.call('cara', 'SubmitVote', voteBy('cara', 'art-1'));
    const open = await room.call<{ decision: null }>('maker', 'GetDecision', { artifact_id: 'art-1' });
    expect([open.response.decision, Date.now() - begun < WINDOW_S * 1000]).toEqual([null, true]);
    room.close();
    await server.kill();

    await sleep(Math.max(0, begun + WINDOW_S * 1000 + 200 - Date.now()));
    ({ server, room } = await start());
    const { response } = await room.call<{ decision: WireDecision }>('maker', 'WaitForDecision', {
      artifact_id: 'art-1',
    });
    expect(response.decision).toMatchObject({
      outcome: 1,
      votes_received: 3,
      collection_timeout_reached: true,
      unavailable_critics: ['dan'],
    });
    room.close();
    expect(await server.stop()).toBe(0);
  }, 120_000);
});
