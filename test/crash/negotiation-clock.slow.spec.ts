import { writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import { clockOf } from '../support/inside-room.js';
import { inside } from '../support/inside-server.js';
import { proposalBy, refusalOf, voteBy } from '../support/room-client.js';
import { RoomProcess } from '../support/room-process.js';
import { servedEventStore } from '../support/served-event-store.js';

jest.setTimeout(300_000);

/** A room in a process of its own, whose clock is set on or back in the middle of a window. */

const HOUR_MS = 3_600_000;

let folder: string;
let clock: string;
let aheadMs = 0;
let room: RoomProcess;

beforeAll(async () => {
  folder = await mkdtemp(join(process.env['MACE_TEST_DISK'] ?? tmpdir(), 'mace-clock-'));
  clock = join(folder, 'clock');
  writeFileSync(clock, '0');
  await servedEventStore(folder);
  room = await start();
});
afterAll(async () => {
  await room?.kill();
  await rm(folder, { recursive: true, force: true });
});

function start(): Promise<RoomProcess> {
  const place = { roles: { audra: ['auditor'] as const }, aheadMs: () => aheadMs };
  return RoomProcess.start(folder, inside(clockOf(clock)), place);
}

async function setClock(ahead: number): Promise<void> {
  aheadMs = ahead;
  writeFileSync(clock, String(ahead));
  await room.clockMoved(ahead);
}

async function proposed(id: string, critics: readonly string[], windowS: number): Promise<void> {
  const more = { vote_collection_timeout_s: windowS };
  await room.call('maker', 'SubmitProposal', proposalBy('maker', id, critics, more));
}

async function vote(who: string, id: string): Promise<readonly string[]> {
  const { trailers } = await room.call(who, 'SubmitVote', voteBy(who, id));
  return trailers.get('sw4rm-vote-disposition').map(String);
}

async function typesOf(id: string): Promise<readonly string[]> {
  return (await room.events(id, 'audra')).map(({ type }) => type);
}

const LATE = ['NEGOTIATION_PROPOSED', 'VOTE_CAST', 'VOTE_WINDOW_CLOSED', 'NEGOTIATION_DECIDED', 'LATE_VOTE'];

it('set past the due time, the first vote after it closes the window and is late', async () => {
  await proposed('on-1', ['ann', 'ben'], 600);
  expect(await vote('ann', 'on-1')).toEqual([]);
  await setClock(HOUR_MS);
  expect(await vote('ben', 'on-1')).toEqual(['late']);
  expect(await room.decided('on-1')).toMatchObject({ votes_received: 1, collection_timeout_reached: true });
  expect(await typesOf('on-1')).toEqual(LATE);
});

it('set past the due time, a window on which nobody votes closes no later than it would have', async () => {
  await proposed('on-2', ['ann', 'ben'], 8);
  await vote('ann', 'on-2');
  await setClock(2 * HOUR_MS);
  const decision = await room.decided('on-2');
  expect(decision).toMatchObject({ votes_received: 1, collection_timeout_reached: true, unavailable_critics: ['ben'] });
  expect((await typesOf('on-2')).filter((type) => type === 'NEGOTIATION_DECIDED')).toHaveLength(1);
});

it('set back, a window stays open until its due time by the clock, and a vote before it counts', async () => {
  await proposed('back-1', ['ann', 'ben'], 2);
  await setClock(HOUR_MS);
  // Longer than the window, by the clock that nobody set.
  await sleep(3000);
  expect([await vote('ann', 'back-1'), await typesOf('back-1')]).toEqual([[], ['NEGOTIATION_PROPOSED', 'VOTE_CAST']]);
  expect(await vote('ben', 'back-1')).toEqual([]);
  expect(await room.decided('back-1')).toMatchObject({ votes_received: 2, collection_timeout_reached: false });
});

it('set back and on again, there is one decision, which stays: who votes before the due time by a clock that was set back is late', async () => {
  await proposed('both-1', ['ann', 'ben', 'cara'], 600);
  await vote('ann', 'both-1');
  await setClock(2 * HOUR_MS);
  expect(await vote('ben', 'both-1')).toEqual(['late']);
  const decision = await room.decided('both-1');
  await setClock(HOUR_MS);
  expect(await vote('cara', 'both-1')).toEqual(['late']);
  expect(await refusalOf(vote('ann', 'both-1'))).toMatch(/^ALREADY_EXISTS CONFLICT/);
  expect(await room.decided('both-1')).toEqual({ ...decision, late_votes: expect.anything() as unknown });
  expect(await typesOf('both-1')).toEqual([...LATE, 'LATE_VOTE']);
});

it('set back behind the start of the process, proposals and votes are taken, and a window still ends', async () => {
  await room.kill();
  writeFileSync(clock, String((aheadMs = 4 * HOUR_MS)));
  room = await start();
  await setClock(3 * HOUR_MS);
  await proposed('behind-1', ['ann', 'ben'], 3);
  expect(await vote('ann', 'behind-1')).toEqual([]);
  expect(await room.decided('behind-1')).toMatchObject({ votes_received: 1, collection_timeout_reached: true });
});

it('set back behind the beginning of the keys, nothing is signed and nothing decided; once it is right again, all goes on', async () => {
  await setClock(0);
  await proposed('keys-1', ['ann', 'ben'], 600);
  await setClock(-HOUR_MS);
  expect(await refusalOf(vote('ann', 'keys-1'))).toMatch(/^INTERNAL /);
  await setClock(0);
  expect([await vote('ann', 'keys-1'), await vote('ben', 'keys-1')]).toEqual([[], []]);
  expect(await room.decided('keys-1')).toMatchObject({ votes_received: 2, collection_timeout_reached: false });
});
