import { writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { eventually } from '../support/eventually.js';
import { clockOf } from '../support/inside-room.js';
import { inside } from '../support/inside-server.js';
import { proposalBy } from '../support/room-client.js';
import { RoomProcess } from '../support/room-process.js';
import { servedEventStore } from '../support/served-event-store.js';

jest.setTimeout(300_000);

/** What quorums that fail lead to (seed 004, 5.2), in a room of its own, where no other test lets one fail. */

const ELEVEN_MINUTES_MS = 660_000;

interface Incident {
  readonly severity: string;
  readonly cause: { readonly type: string; readonly stream: string };
}

let folder: string;
let clock: string;
let aheadMs = 0;
let room: RoomProcess;

beforeAll(async () => {
  folder = await mkdtemp(join(process.env['MACE_TEST_DISK'] ?? tmpdir(), 'mace-room-incidents-'));
  clock = join(folder, 'clock');
  writeFileSync(clock, '0');
  await servedEventStore(folder);
  const place = { roles: { oscar: ['operator'] as const }, aheadMs: () => aheadMs };
  room = await RoomProcess.start(folder, inside(clockOf(clock)), place);
});
afterAll(async () => {
  await room?.kill();
  await rm(folder, { recursive: true, force: true });
});

/** Nobody votes on these, until each is decided without its quorum. */
async function failed(...ids: readonly string[]): Promise<void> {
  const more = { vote_collection_timeout_s: 1 };
  for (const id of ids) await room.call('maker', 'SubmitProposal', proposalBy('maker', id, ['ann'], more));
  for (const id of ids) expect(await room.decided(id)).toMatchObject({ quorum_met: false, votes_received: 0 });
}

const five = (word: string): readonly string[] => [1, 2, 3, 4, 5].map((nth) => `${word}-${nth}`);

it('the sixth quorum that fails within ten minutes is an incident, and five that failed before them do not count', async () => {
  await failed(...five('early'));
  aheadMs = ELEVEN_MINUTES_MS;
  writeFileSync(clock, String(aheadMs));
  await room.clockMoved(aheadMs);
  await failed(...five('late'));
  await failed('sixth');
  const incidents = await eventually(async () => {
    const { items } = (await room.send<{ items: readonly Incident[] }>('oscar', 'GET', '/incidents')).body;
    return items.length > 0 ? items : null;
  }, 'an incident');
  expect(incidents).toMatchObject([
    { severity: 'error', cause: { type: 'NEGOTIATION_DECIDED', stream: 'negotiation-sixth' } },
  ]);
});
