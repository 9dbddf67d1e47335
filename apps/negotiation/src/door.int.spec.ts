import { hasRole, permissionOf, type PermissionName, type Role, ROLES } from '#lib/access';

import { RoomApp } from '../../../test/support/room-app.js';
import { proposalBy, refusalOf, voteBy } from '../../../test/support/room-client.js';
import { loadDefinitions } from './proto/definitions.js';

/** Every method of gRPC before every role; what is expected stands in libs/access/src/permissions.ts and nowhere else. */

jest.setTimeout(120_000);

const nameOf = (role: Role): string => `by-${role}`;

/** What each method is asked by a role, and by which permission it is opened. */
const CALLS: Readonly<Record<string, readonly [PermissionName, (role: Role) => object]>> = {
  SubmitProposal: ['negotiations.submit', (role) => proposalBy(nameOf(role), `of-${role}`, ['ann'])],
  SubmitVote: ['negotiations.submit', (role) => voteBy(nameOf(role), 'asks-all')],
  GetVotes: ['negotiations.read', () => ({ artifact_id: 'asks-all' })],
  GetDecision: ['negotiations.read', () => ({ artifact_id: 'asks-all' })],
  WaitForDecision: ['negotiations.read', () => ({ artifact_id: 'asks-all', timeout_seconds: 1 })],
  RegisterAgent: ['negotiations.register', (role) => ({ agent: { agent_id: nameOf(role), name: role } })],
  Heartbeat: ['negotiations.register', (role) => ({ agent_id: nameOf(role), state: 4 })],
  DeregisterAgent: ['negotiations.register', (role) => ({ agent_id: nameOf(role) })],
};

let room: RoomApp;
beforeAll(async () => {
  room = await RoomApp.open(Object.fromEntries(ROLES.map((role) => [nameOf(role), role])));
  await room.call('maker', 'SubmitProposal', proposalBy('maker', 'asks-all', ['ann', ...ROLES.map(nameOf)]));
});
afterAll(() => room.dispose());

it('has a row for every method that is served', () => {
  const { room: service, registry } = loadDefinitions();
  expect(Object.keys(CALLS).sort()).toEqual([...Object.keys(service), ...Object.keys(registry)].sort());
});

it.each(Object.entries(CALLS))('%s opens to the roles of its row and to no other', async (method, [name, message]) => {
  const told: Record<string, string> = {};
  for (const role of ROLES) {
    const refusal = await refusalOf(room.call(nameOf(role), method, message(role)));
    told[role] = refusal.startsWith('DEADLINE_EXCEEDED WAIT_TIMEOUT') ? 'OK' : (refusal.split(' is for ')[0] ?? '');
  }
  const { roles } = permissionOf(name);
  const isOpen = (role: Role): boolean => roles.some((one) => hasRole({ id: '', roles: [role], elevated: false }, one));
  const denied = `PERMISSION_DENIED PERMISSION_DENIED: ${name}`;
  expect(told).toEqual(Object.fromEntries(ROLES.map((role) => [role, isOpen(role) ? 'OK' : denied])));
});
