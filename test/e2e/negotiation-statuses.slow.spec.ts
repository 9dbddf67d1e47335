import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { Client, credentials, Metadata, type MethodDefinition, type ServiceError, status } from '@grpc/grpc-js';

import { keyFileIn, type Role, ROLES, rotateKey } from '#lib/access';
import { MAX_WAITERS } from '#lib/negotiation';

import { loadDefinitions } from '../../apps/negotiation/src/proto/definitions.js';
import type { WireDecision } from '../../apps/negotiation/src/proto/messages.js';
import { until } from '../support/eventually.js';
import { storeAwayWhere } from '../support/inside-room.js';
import { inside } from '../support/inside-server.js';
import { proposalBy, refusalOf, voteBy } from '../support/room-client.js';
import { ASKS_ALL, callerBy, DOORS, expectedAtDoor, toldAtDoor } from '../support/room-doors.js';
import { RoomProcess } from '../support/room-process.js';
import { BAD_PROPOSALS, BAD_VOTES } from '../support/room-refusals.js';
import { servedEventStore } from '../support/served-event-store.js';

jest.setTimeout(300_000);

/** Each status of spec/negotiation-room.md "Status codes", by gRPC between processes. */

let folder: string;
let away: string;
let room: RoomProcess;

beforeAll(async () => {
  folder = await mkdtemp(join(process.env['MACE_TEST_DISK'] ?? tmpdir(), 'mace-statuses-'));
  away = join(folder, 'store-is-away');
  await servedEventStore(folder);
  room = await start();
  await proposed('open', ['ann', 'ben'], { negotiation_room_id: 'room-a' });
  await room.call('ann', 'SubmitVote', voteBy('ann', 'open'));
  await proposed('decided', ['ann']);
  await room.call('ann', 'SubmitVote', voteBy('ann', 'decided'));
});
afterAll(async () => {
  await room?.kill();
  await rm(folder, { recursive: true, force: true });
});

function start(): Promise<RoomProcess> {
  const byRole: Record<string, readonly Role[]> = Object.fromEntries(ROLES.map((role) => [callerBy(role), [role]]));
  const named = { tuff: ['user'], oscar: ['operator'], audra: ['auditor'], ada: ['admin'] } as const;
  const roles = { ...byRole, ...named };
  return RoomProcess.start(folder, inside(storeAwayWhere(away)), { roles });
}

const proposed = (id: string, critics: readonly string[], more: object = {}): Promise<unknown> =>
  room.call('maker', 'SubmitProposal', proposalBy('maker', id, critics, more));
const propose = (who: string | null, id: string, more: object = {}): Promise<string> =>
  refusalOf(room.call(who, 'SubmitProposal', proposalBy('maker', id, ['ann'], more)));
const vote = (who: string | null, id: string, more: object = {}): Promise<string> =>
  refusalOf(room.call(who, 'SubmitVote', voteBy('ann', id, more)));
const read = (who: string | null, id: string, negotiation_room_id = ''): Promise<string> =>
  refusalOf(room.call(who, 'GetDecision', { artifact_id: id, negotiation_room_id }));

describe('INVALID_ARGUMENT', () => {
  it.each(BAD_PROPOSALS)('is a proposal %s', async (_, more, told) => {
    const refusal = await propose('maker', 'bad', more);
    expect(refusal).toMatch(/^INVALID_ARGUMENT (INVALID_INPUT|PRIVACY_BLOCKED): /);
    expect(refusal).toMatch(told);
  });

  it.each(BAD_VOTES)('is a vote %s, on what is open, decided and unknown', async (_, more, told) => {
    for (const id of ['open', 'decided', 'nowhere'])
      expect([id, await vote('ann', id, more)]).toEqual([id, expect.stringMatching(told)]);
  });

  it.each(['SubmitProposal', 'SubmitVote', 'RegisterAgent'])('is %s without its message', async (method) => {
    expect(await refusalOf(room.call('ann', method, {}))).toMatch(
      /^INVALID_ARGUMENT INVALID_INPUT: .*(missing|1 to 128)/,
    );
  });

  it('is an artifact over 4 MiB, which is received all the same', async () => {
    const artifact = Buffer.alloc(4 * 1024 * 1024 + 1, 97);
    expect(await propose('maker', 'large', { artifact })).toMatch(
      /^INVALID_ARGUMENT INVALID_INPUT: artifact: 4194305 bytes/,
    );
    expect(await propose('maker', 'large', { artifact: artifact.subarray(1) })).toBe('OK');
  });
});

describe('what is told', () => {
  it.each<[string, () => Promise<string>, RegExp]>([
    ['NOT_FOUND of an unknown artifact', () => read('maker', 'nowhere'), /^NOT_FOUND NOT_FOUND/],
    ['NOT_FOUND of another room', () => read('maker', 'open', 'room-b'), /^NOT_FOUND NOT_FOUND/],
    ['OK of its room', () => read('maker', 'open', 'room-a'), /^OK$/],
    ['OK of any room, to who reads what is others’', () => read('oscar', 'open'), /^OK$/],
    ['OK to an auditor', () => read('audra', 'open'), /^OK$/],
    ['OK to a critic that was asked', () => read('ben', 'open'), /^OK$/],
    [
      'ALREADY_EXISTS of a second proposal in another room',
      () => propose('maker', 'open', { negotiation_room_id: 'room-c' }),
      /^ALREADY_EXISTS CONFLICT/,
    ],
    ['ALREADY_EXISTS of a second vote', () => vote('ann', 'open'), /^ALREADY_EXISTS CONFLICT/],
    ['ALREADY_EXISTS of a second vote after the close', () => vote('ann', 'decided'), /^ALREADY_EXISTS CONFLICT/],
    [
      'DEADLINE_EXCEEDED of a wait that ran out',
      () => refusalOf(room.call('maker', 'WaitForDecision', { artifact_id: 'open', timeout_seconds: 1 })),
      /^DEADLINE_EXCEEDED WAIT_TIMEOUT/,
    ],
    [
      'DEADLINE_EXCEEDED of a caller whose deadline passed',
      () => refusalOf(room.call('maker', 'WaitForDecision', { artifact_id: 'open' }, { deadlineMs: 200 })),
      /^DEADLINE_EXCEEDED/,
    ],
    ['UNAUTHENTICATED without a token', () => read(null, 'open'), /^UNAUTHENTICATED UNAUTHENTICATED/],
    [
      'PERMISSION_DENIED in another’s name as a producer',
      () => propose('ben', 'new'),
      /^PERMISSION_DENIED PERMISSION_DENIED: producer_id/,
    ],
    [
      'PERMISSION_DENIED in another’s name as a critic',
      () => vote('ben', 'open'),
      /^PERMISSION_DENIED PERMISSION_DENIED: critic_id/,
    ],
    [
      'PERMISSION_DENIED to a critic that was not asked',
      () => vote('eve', 'open', { critic_id: 'eve' }),
      /^PERMISSION_DENIED PERMISSION_DENIED: critic eve was not asked/,
    ],
    [
      'PERMISSION_DENIED to a producer that votes',
      () => vote('maker', 'open', { critic_id: 'maker' }),
      /^PERMISSION_DENIED PERMISSION_DENIED: nobody votes on/,
    ],
    ['PERMISSION_DENIED to another role', () => vote('tuff', 'open'), /^PERMISSION_DENIED PERMISSION_DENIED/],
    ['PERMISSION_DENIED to a stranger who reads', () => read('eve', 'open'), /^PERMISSION_DENIED PERMISSION_DENIED/],
    ['first of a missing token, then of a bad message', () => vote(null, 'nowhere', { score: 11 }), /^UNAUTHENTICATED/],
    [
      'then of a bad message, before an unknown artifact',
      () => vote('eve', 'nowhere', { score: 11 }),
      /^INVALID_ARGUMENT/,
    ],
    ['then of an unknown artifact, before who asks', () => vote('eve', 'nowhere'), /^NOT_FOUND/],
    ['then of who asks, before what is there already', () => propose('eve', 'open'), /^PERMISSION_DENIED/],
  ])('is %s', async (_, refusal, told) => {
    expect(await refusal()).toMatch(told);
  });

  it('is OK without a decision before there is one', async () => {
    const { response } = await room.call('maker', 'GetDecision', { artifact_id: 'open' });
    expect(response).toEqual({ decision: null });
  });
});

describe('PERMISSION_DENIED to a role', () => {
  beforeAll(() => room.call('maker', 'SubmitProposal', ASKS_ALL));

  it.each(Object.keys(DOORS))('that may not call %s, and to no other', async (method) => {
    const expected = expectedAtDoor(method);
    expect(new Set(Object.values(expected)).size).toBe(2);
    expect(await toldAtDoor(room, method)).toEqual(expected);
  });
});

it('RESOURCE_EXHAUSTED is the 257th that waits; a wait that is cancelled frees its place', async () => {
  await proposed('waited', ['ann']);
  const wait = { artifact_id: 'waited', timeout_seconds: 120 };
  const gone = new AbortController();
  const cancelled = refusalOf(room.call('maker', 'WaitForDecision', wait, { signal: gone.signal }));
  // The one more may have taken the place of one of these for a moment.
  const persistent = (): Promise<WireDecision> =>
    room.decided('waited').catch((error: ServiceError) => {
      if (error.code === status.RESOURCE_EXHAUSTED) return persistent();
      throw error;
    });
  const others = Array.from({ length: MAX_WAITERS - 1 }, persistent);
  const oneMore = (): Promise<string> =>
    refusalOf(room.call('ann', 'WaitForDecision', { ...wait, timeout_seconds: 1 }));
  await until(async () => /^RESOURCE_EXHAUSTED RATE_LIMITED: at most 256/.test(await oneMore()), 'a full house');
  gone.abort();
  expect(await cancelled).toMatch(/^CANCELLED/);
  await until(async () => /^DEADLINE_EXCEEDED/.test(await oneMore()), 'a free place');
  await room.call('ann', 'SubmitVote', voteBy('ann', 'waited'));
  expect(new Set((await Promise.all(others)).map(({ outcome }) => outcome))).toEqual(new Set([1]));
});

it('UNAVAILABLE is what an event store that is away makes of a vote, and the same call is taken once it is back', async () => {
  writeFileSync(away, '');
  expect(existsSync(away)).toBe(true);
  const key = { metadata: { 'x-idempotency-key': 'away-1' } };
  const ben = () => refusalOf(room.call('ben', 'SubmitVote', voteBy('ben', 'open'), key));
  expect(await ben()).toMatch(/^UNAVAILABLE DATA_UNAVAILABLE/);
  rmSync(away);
  expect([await ben(), await ben()]).toEqual(['OK', 'OK']);
  expect(await room.decided('open')).toMatchObject({ votes_received: 2 });
});

it('INTERNAL is what bytes that are no message are, and the next call is answered', async () => {
  const client = new Client(`127.0.0.1:${room.grpcPort}`, credentials.createInsecure());
  const { path } = loadDefinitions().room['SubmitVote'] as MethodDefinition<object, object>;
  const same = (bytes: Buffer): Buffer => bytes;
  const garbage = Buffer.from([0x0a, 0xff, 0xff, 0xff, 0xff]);
  const code = await new Promise<status | undefined>((resolve) =>
    client.makeUnaryRequest(path, same, same, garbage, new Metadata(), (error) => resolve(error?.code)),
  );
  client.close();
  expect(code).toBe(status.INTERNAL);
  expect(await read('maker', 'nowhere')).toMatch(/^NOT_FOUND/);
});

it('a retry under its key is answered as before where the key that hashes messages was rotated, and another message is refused', async () => {
  const key = { metadata: { 'x-idempotency-key': 'rotated-1' } };
  const proposal = proposalBy('maker', 'rotated', ['ann', 'ben']);
  const agent = { agent: { agent_id: 'ann', name: 'Ann' } };
  const calls: readonly [string, string, object, object][] = [
    ['maker', 'SubmitProposal', proposal, proposalBy('maker', 'rotated', ['ann', 'ben', 'cara'])],
    ['ann', 'SubmitVote', voteBy('ann', 'rotated'), voteBy('ann', 'rotated', { score: 1 })],
    ['ann', 'RegisterAgent', agent, { agent: { agent_id: 'ann', name: 'Otto' } }],
  ];
  const answers: unknown[] = [];
  for (const [who, method, message] of calls) answers.push((await room.call(who, method, message, key)).response);
  await room.kill();
  rotateKey(keyFileIn(folder), 'request-hmac', Date.now());
  room = await start();
  for (const [i, [who, method, message, other]] of calls.entries()) {
    expect((await room.call(who, method, message, key)).response).toEqual(answers[i]);
    expect(await refusalOf(room.call(who, method, other, key))).toMatch(/^ALREADY_EXISTS /);
  }
});
