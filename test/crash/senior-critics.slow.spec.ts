import { writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { type ServiceError, status } from '@grpc/grpc-js';

import { describeEmbedded } from '../support/event-store-for-tests.js';
import { clockOf, type Death, deathsAt } from '../support/inside-room.js';
import { inside } from '../support/inside-server.js';
import { JobApp } from '../support/job-app.js';
import { changeRoomPolicy } from '../support/policies.js';
import { proposalBy, voteBy } from '../support/room-client.js';
import { RoomProcess } from '../support/room-process.js';

jest.setTimeout(300_000);

const HOUR_MS = 3_600_000;
/** Revisions of a negotiation whose one critic asks for a person, so that a senior critic is asked. */
const ASKED = 3;
const DECIDED = 6;
const ASKING = ['NEGOTIATION_PROPOSED', 'VOTE_CAST', 'VOTE_WINDOW_CLOSED', 'SENIOR_CRITICS_ASKED'];
const DECIDING = ['VOTE_WINDOW_CLOSED', 'NEGOTIATION_DECIDED'];

const cases = (['before', 'after'] as const).flatMap((when) =>
  [
    ['senior critics are asked', ASKED],
    ['their decision', DECIDED],
  ].map(([step, revision]) => {
    const id = `${when}-${revision}`;
    const death: Death = { when, stream: `negotiation-${id}`, revision: revision as number };
    return { name: `${when} ${step} is stored`, id, death };
  }),
);

/** A room whose policy names a senior critic, killed with SIGKILL; who called asks again under the same key. */
describeEmbedded(
  'a room that is killed while senior critics are asked',
  'the policy is set in the files of the embedded store',
  () => {
    let folder: string;
    let clock: string;
    let aheadMs = 0;
    let room: RoomProcess;

    const start = (): Promise<RoomProcess> => {
      const deaths = cases.map(({ death }) => death);
      const place = { roles: { audra: ['auditor'] as const }, aheadMs: () => aheadMs };
      return RoomProcess.start(folder, inside(clockOf(clock), deathsAt(deaths, folder)), place);
    };

    beforeAll(async () => {
      folder = await mkdtemp(join(process.env['MACE_TEST_DISK'] ?? tmpdir(), 'mace-seniors-'));
      clock = join(folder, 'clock');
      writeFileSync(clock, '0');
      const app = await JobApp.on(folder);
      await changeRoomPolicy(app, { escalation: ['chief'] });
      await app.close();
      room = await start();
    });
    afterAll(async () => {
      await room?.kill();
      await rm(folder, { recursive: true, force: true });
    });

    /** The same call under the same key until the room answers it, whichever life of it. */
    async function answered(who: string, method: string, message: object, key: string): Promise<void> {
      for (;;) {
        try {
          await room.call(who, method, message, { metadata: { 'x-idempotency-key': key } });
          return;
        } catch (error) {
          if (![status.UNAVAILABLE, status.INTERNAL, status.CANCELLED].includes((error as ServiceError).code))
            throw error;
          expect(await room.server.ended()).toBe('SIGKILL');
          room.close();
          room = await start();
        }
      }
    }
    async function askedOn(id: string): Promise<void> {
      await answered('maker', 'SubmitProposal', proposalBy('maker', id, ['ann']), `propose-${id}`);
      const wish = voteBy('ann', id, { recommendations: ['escalate'] });
      await answered('ann', 'SubmitVote', wish, `vote-${id}`);
    }
    const typesOf = async (id: string): Promise<readonly string[]> =>
      (await room.events(id, 'audra')).map(({ type }) => type);

    it.each(cases)('$name has each vote once, asks them once, and decides once', async ({ id }) => {
      await askedOn(id);
      expect(await typesOf(id)).toEqual(ASKING);
      await answered('chief', 'SubmitVote', voteBy('chief', id), `chief-${id}`);
      expect(await typesOf(id)).toEqual([...ASKING, 'VOTE_CAST', ...DECIDING]);
      expect(await room.decided(id)).toMatchObject({
        outcome: 1,
        votes_received: 1,
        collection_timeout_reached: false,
      });
    });

    it('has one decision where their window ended while nobody ran', async () => {
      const id = 'nobody-ran';
      await askedOn(id);
      await room.kill();
      aheadMs += HOUR_MS;
      writeFileSync(clock, String(aheadMs));
      room = await start();
      expect(await room.decided(id)).toMatchObject({
        outcome: 3,
        votes_received: 0,
        collection_timeout_reached: true,
        unavailable_critics: ['chief'],
      });
      expect(await typesOf(id)).toEqual([...ASKING, ...DECIDING]);
    });
  },
);
