import { ROLES } from '#lib/access';

import { RoomApp } from '../../../test/support/room-app.js';
import { ASKS_ALL, callerBy, DOORS, expectedAtDoor, toldAtDoor } from '../../../test/support/room-doors.js';
import { loadDefinitions } from './proto/definitions.js';

/** Every method of gRPC before every role; what is expected stands in libs/access/src/permissions.ts and nowhere else. */

jest.setTimeout(120_000);

let room: RoomApp;
beforeAll(async () => {
  room = await RoomApp.open(Object.fromEntries(ROLES.map((role) => [callerBy(role), role])));
  await room.call('maker', 'SubmitProposal', ASKS_ALL);
});
afterAll(() => room.dispose());

it('has a row for every method that is served', () => {
  const { room: service, registry } = loadDefinitions();
  expect(Object.keys(DOORS).sort()).toEqual([...Object.keys(service), ...Object.keys(registry)].sort());
});

it.each(Object.keys(DOORS))('%s opens to the roles of its row and to no other', async (method) => {
  expect(await toldAtDoor(room, method)).toEqual(expectedAtDoor(method));
});
