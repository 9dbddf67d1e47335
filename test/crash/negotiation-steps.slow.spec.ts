import { readdirSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { type ServiceError, status } from '@grpc/grpc-js';

import { clockOf, type Death, deathsAt } from '../support/inside-room.js';
import { inside } from '../support/inside-server.js';
import { proposalBy, voteBy } from '../support/room-client.js';
import { RoomProcess } from '../support/room-process.js';
import { servedEventStore } from '../support/served-event-store.js';

jest.setTimeout(900_000);

/**
 * One negotiation after another, each killed with SIGKILL at one step of its window, before or after what the step stores:
 * who called asks again under the same key until it is answered, as a client does. A room that died between the append and
 * its answer has sent no trailing metadata.
 */

const HOUR_MS = 3_600_000;
const CRITICS = ['ann', 'ben', 'cara', 'dan'];
/** Revisions of a negotiation whose window ends after two votes of four. */
const STEPS = { proposal: 0, 'first vote': 1, 'second vote': 2, 'close by a late vote': 3, 'late vote after it': 6 };
/** Where the last of two votes closes the window. */
const LAST_VOTE = 2;
/** Where the decision of that one stands. */
const LAST_VOTES_DECISION = 4;
/** Where a window is found overdue at the start. */
const CLOSE_AT_START = 2;

interface Case {
  readonly name: string;
  readonly id: string;
  readonly death: Death;
}

function caseOf(when: Death['when'], step: string, revision: number): Case {
  const id = `${when}-${step.replaceAll(' ', '-')}`;
  return { name: `${when} the ${step} is stored`, id, death: { when, stream: `negotiation-${id}`, revision } };
}

const WHEN = ['before', 'after'] as const;
const expiring = Object.entries(STEPS).flatMap(([step, at]) => WHEN.map((when) => caseOf(when, step, at)));
const complete = WHEN.map((when) => caseOf(when, 'last vote and its decision', LAST_VOTE));
const together = caseOf('before', 'decision of the last vote', LAST_VOTES_DECISION);
const overdue = WHEN.map((when) => caseOf(when, 'close at the start', CLOSE_AT_START));
const DEATHS = [...expiring, ...complete, together, ...overdue].map(({ death }) => death);

let folder: string;
let clock: string;
let aheadMs = 0;
let room: RoomProcess;

beforeAll(async () => {
  folder = await mkdtemp(join(process.env['MACE_TEST_DISK'] ?? tmpdir(), 'mace-steps-'));
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
  const settings = inside(clockOf(clock), deathsAt(DEATHS, folder));
  return RoomProcess.start(folder, settings, { roles: { audra: ['auditor'] }, aheadMs: () => aheadMs });
}

/** One that may die while it starts, or soon after. */
async function startAgain(): Promise<void> {
  room.close();
  const before = deaths();
  try {
    room = await start();
  } catch (error) {
    if (deaths() === before) throw error;
    room = await start();
  }
}

const deaths = (): number => readdirSync(folder).filter((name) => name.startsWith('death-')).length;

/** The same call under the same key until the room answers it, whichever life of it. @returns what came behind the answer */
async function answered(who: string, method: string, message: object, key: string): Promise<readonly string[]> {
  for (;;) {
    try {
      const { trailers } = await room.call(who, method, message, { metadata: { 'x-idempotency-key': key } });
      return trailers.get('sw4rm-vote-disposition').map(String);
    } catch (error) {
      // What a connection that broke is told as; anything else is an answer, and a wrong one.
      if (![status.UNAVAILABLE, status.INTERNAL, status.CANCELLED].includes((error as ServiceError).code)) throw error;
      expect(await room.server.ended()).toBe('SIGKILL');
      await startAgain();
    }
  }
}

const propose = (id: string, critics: readonly string[]): Promise<readonly string[]> =>
  answered('maker', 'SubmitProposal', proposalBy('maker', id, critics), `propose-${id}`);
const vote = (who: string, id: string): Promise<readonly string[]> =>
  answered(who, 'SubmitVote', voteBy(who, id), `vote-${id}`);

function moveClock(): void {
  aheadMs += HOUR_MS;
  writeFileSync(clock, String(aheadMs));
}

/** What the stream says: each call once, and one decision. */
async function typesOf(id: string): Promise<readonly string[]> {
  return (await room.events(id, 'audra')).map(({ type }) => type);
}

const DECIDED = ['VOTE_WINDOW_CLOSED', 'NEGOTIATION_DECIDED'];

describe('a room that is killed', () => {
  it.each(expiring)('$name has one decision on the votes in time, and each late one once', async ({ id }) => {
    const before = deaths();
    await propose(id, CRITICS);
    expect([await vote('ann', id), await vote('ben', id)]).toEqual([[], []]);
    moveClock();
    await room.clockMoved(aheadMs);
    expect([await vote('cara', id), await vote('dan', id)]).toEqual([['late'], ['late']]);
    expect(deaths()).toBe(before + 1);
    expect(await typesOf(id)).toEqual([
      'NEGOTIATION_PROPOSED',
      'VOTE_CAST',
      'VOTE_CAST',
      ...DECIDED,
      'LATE_VOTE',
      'LATE_VOTE',
    ]);
    const decision = await room.decided(id);
    expect(decision).toMatchObject({
      outcome: 1,
      votes_received: 2,
      collection_timeout_reached: true,
      unavailable_critics: ['cara', 'dan'],
    });
    expect(decision.late_votes.map(({ critic_id }) => critic_id)).toEqual(['cara', 'dan']);
    // A retry after the close is not late, and a late one is late again.
    expect([await vote('ann', id), await vote('dan', id)]).toEqual([[], ['late']]);
  });

  it.each(complete)('$name has both votes and one decision', async ({ id }) => {
    const before = deaths();
    await propose(id, ['ann', 'ben']);
    expect([await vote('ann', id), await vote('ben', id)]).toEqual([[], []]);
    expect(deaths()).toBe(before + 1);
    expect(await typesOf(id)).toEqual(['NEGOTIATION_PROPOSED', 'VOTE_CAST', 'VOTE_CAST', ...DECIDED]);
    expect(await room.decided(id)).toMatchObject({ votes_received: 2, collection_timeout_reached: false });
  });

  it('before the decision is stored to which the last vote leads has not stored that vote either: they are one append', async () => {
    const { id } = together;
    await propose(id, ['ann', 'ben']);
    await vote('ann', id);
    await expect(room.call('ben', 'SubmitVote', voteBy('ben', id))).rejects.toThrow();
    expect(await room.server.ended()).toBe('SIGKILL');
    await startAgain();
    expect(await typesOf(id)).toEqual(['NEGOTIATION_PROPOSED', 'VOTE_CAST']);
    await vote('ben', id);
    expect(await typesOf(id)).toEqual(['NEGOTIATION_PROPOSED', 'VOTE_CAST', 'VOTE_CAST', ...DECIDED]);
  });

  it.each(overdue)('$name, of a window that ended while nobody ran, has one decision', async ({ id }) => {
    const before = deaths();
    await propose(id, ['ann', 'ben']);
    await vote('ann', id);
    await room.kill();
    moveClock();
    await startAgain();
    // It may have begun to listen before it died.
    await room.decided(id).catch(startAgain);
    expect(deaths()).toBe(before + 1);
    expect(await room.decided(id)).toMatchObject({ votes_received: 1, collection_timeout_reached: true });
    expect(await typesOf(id)).toEqual(['NEGOTIATION_PROPOSED', 'VOTE_CAST', ...DECIDED]);
  });
});
