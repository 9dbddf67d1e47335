import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { Client, credentials, Metadata, type MethodDefinition, type ServiceDefinition, status } from '@grpc/grpc-js';
import { loadSync } from '@grpc/proto-loader';

import { keyFileIn, rotateKey } from '#lib/access';
import { StoreUnavailableError } from '#lib/event-store';
import { MAX_WAITERS, Waiters } from '#lib/negotiation';

import { until } from '../../../test/support/eventually.js';
import { RoomApp } from '../../../test/support/room-app.js';
import { proposalBy, refusalOf, voteBy } from '../../../test/support/room-client.js';
import { BAD_PROPOSALS, BAD_VOTES } from '../../../test/support/room-refusals.js';
import { loadDefinitions } from './proto/definitions.js';
import type { WireDecision, WireVote } from './proto/messages.js';

/** What comes over the wire, good and bad, against spec/negotiation-room.md "Status codes", "Quorum" and "Wire". */

let room: RoomApp;
let plain: Client;
beforeAll(async () => {
  room = await RoomApp.open({ tuff: 'user', oscar: 'operator', ada: 'admin', audra: 'auditor' });
  plain = new Client(`127.0.0.1:${room.port}`, credentials.createInsecure());
});
afterAll(async () => {
  plain.close();
  await room.dispose();
});

type Decided = { readonly decision: WireDecision };

interface Raw {
  readonly bytes?: Buffer;
  readonly error: { readonly code: status; readonly details: string } | null;
}

/** A call whose bytes are as given, whatever they are. */
async function raw(path: string, bytes: Buffer, who: string | null): Promise<Raw> {
  const metadata = new Metadata();
  if (who !== null) metadata.set('authorization', `Bearer ${await room.tokenOf(who)}`);
  const same = (buffer: Buffer): Buffer => buffer;
  return new Promise((resolve) =>
    plain.makeUnaryRequest(path, same, same, bytes, metadata, (error, answer) =>
      resolve(answer ? { bytes: answer, error } : { error }),
    ),
  );
}

const definitions = loadDefinitions();
const methodOf = (service: ServiceDefinition, name: string): MethodDefinition<object, object> =>
  service[name] as MethodDefinition<object, object>;

describe('a proposal is refused as INVALID_ARGUMENT', () => {
  it.each(BAD_PROPOSALS)('%s', async (_, more, told) => {
    const refusal = await refusalOf(room.call('maker', 'SubmitProposal', proposalBy('maker', 'bad-1', ['ann'], more)));
    expect(refusal).toMatch(/^INVALID_ARGUMENT (INVALID_INPUT|PRIVACY_BLOCKED): /);
    expect(refusal).toMatch(told);
  });

  it('of more than 4 MiB, and one of 4 MiB is taken', async () => {
    const artifact = Buffer.alloc(4 * 1024 * 1024, 1);
    const more = { artifact, artifact_content_type: 'application/octet-stream' };
    expect(
      (await room.call('maker', 'SubmitProposal', proposalBy('maker', 'large-1', ['ann'], more))).response,
    ).toEqual({
      artifact_id: 'large-1',
      negotiation_room_id: expect.stringMatching(/^room-/) as string,
    });
  });
});

it.each(['SubmitProposal', 'SubmitVote', 'RegisterAgent'])(
  '%s without its message is INVALID_ARGUMENT',
  async (method) => {
    expect(await refusalOf(room.call('ann', method, {}))).toMatch(
      /^INVALID_ARGUMENT INVALID_INPUT: .*(missing|1 to 128)/,
    );
  },
);

describe('a vote is refused as INVALID_ARGUMENT, before and after the close,', () => {
  let open: string;
  let closed: string;
  beforeAll(async () => {
    open = await room.proposed(['ann']);
    closed = await room.proposed(['ann']);
    await room.call('ann', 'SubmitVote', voteBy('ann', closed));
  });
  it.each(BAD_VOTES)('%s', async (_, more, told) => {
    for (const id of [open, closed, 'nowhere']) {
      const refusal = await refusalOf(room.call('ann', 'SubmitVote', voteBy('ann', id, more)));
      expect([id, refusal]).toEqual([id, expect.stringMatching(/^INVALID_ARGUMENT INVALID_INPUT/)]);
      expect(refusal).toMatch(told);
    }
  });
});

describe('what is wrong with a call is told in one order:', () => {
  let id: string;
  beforeAll(async () => {
    id = await room.proposed(['ann', 'ben'], { negotiation_room_id: 'room-a' });
    await room.call('ann', 'SubmitVote', voteBy('ann', id));
  });
  const badVote = { score: 11 };
  it.each<[string, () => Promise<unknown>, RegExp]>([
    ['no token before a bad message', () => room.call(null, 'SubmitVote', {}), /^UNAUTHENTICATED UNAUTHENTICATED/],
    [
      'a bad message before an unknown artifact and another’s name',
      () => room.call('eve', 'SubmitVote', voteBy('ann', 'nowhere', badVote)),
      /^INVALID_ARGUMENT/,
    ],
    [
      'a bad message before the role',
      () => room.call('tuff', 'SubmitProposal', proposalBy('tuff', '', ['ann'])),
      /^INVALID_ARGUMENT/,
    ],
    [
      'an unknown artifact before another’s name',
      () => room.call('eve', 'SubmitVote', voteBy('ann', 'nowhere')),
      /^NOT_FOUND/,
    ],
    [
      'an unknown artifact before the role',
      () => room.call('tuff', 'SubmitVote', voteBy('tuff', 'nowhere')),
      /^NOT_FOUND/,
    ],
    [
      'another room before a second vote',
      () => room.call('ann', 'SubmitVote', voteBy('ann', id, { negotiation_room_id: 'room-b' })),
      /^NOT_FOUND NOT_FOUND: no artifact art-\d+ was proposed in that room/,
    ],
    [
      'another room before who may see',
      () => room.call('eve', 'GetVotes', { artifact_id: id, negotiation_room_id: 'room-b' }),
      /^NOT_FOUND/,
    ],
    [
      'the role before a known artifact',
      () => room.call('tuff', 'SubmitProposal', proposalBy('tuff', id, ['ann'])),
      /^PERMISSION_DENIED/,
    ],
    [
      'another’s name before a known artifact',
      () => room.call('eve', 'SubmitProposal', proposalBy('maker', id, ['ann'])),
      /^PERMISSION_DENIED/,
    ],
    [
      'a producer that votes on its own',
      () => room.call('maker', 'SubmitVote', voteBy('maker', id)),
      /^PERMISSION_DENIED PERMISSION_DENIED: nobody votes on an artifact of their own/,
    ],
    [
      'a known artifact last, in any room and from anyone',
      () => room.call('eve', 'SubmitProposal', proposalBy('eve', id, ['ann'], { negotiation_room_id: 'room-c' })),
      /^ALREADY_EXISTS CONFLICT/,
    ],
  ])('%s', async (_, doing, told) => {
    expect(await refusalOf(doing())).toMatch(told);
  });

  it('an unknown artifact is NOT_FOUND to who reads', async () => {
    expect(await refusalOf(room.call('maker', 'GetDecision', { artifact_id: 'nowhere' }))).toMatch(
      /^NOT_FOUND NOT_FOUND/,
    );
  });

  it.each([
    ['its room', 'maker', 'room-a'],
    ['any room, where it names none', 'maker', ''],
    ['a critic that was asked', 'ben', ''],
    ['the operator, who reads what is others’', 'oscar', ''],
    ['the auditor', 'audra', ''],
  ])('a call of %s is answered', async (_, who, negotiation_room_id) => {
    const { response } = await room.call<{ vote_count: number }>(who, 'GetVotes', {
      artifact_id: id,
      negotiation_room_id,
    });
    expect(response.vote_count).toBe(1);
  });
});

describe('metadata', () => {
  it.each<[string, Record<string, string>, RegExp]>([
    ['with a token that nobody signed', { authorization: 'Bearer a.b.c' }, /^UNAUTHENTICATED/],
    ['with another scheme', { authorization: 'Basic bWU6bWU=' }, /^UNAUTHENTICATED/],
    [
      'with a key of other characters',
      { 'x-idempotency-key': 'two words' },
      /^INVALID_ARGUMENT INVALID_INPUT: metadata x-idem/,
    ],
    [
      'with a key that is too long',
      { 'x-idempotency-key': 'k'.repeat(129) },
      /^INVALID_ARGUMENT INVALID_INPUT: metadata x-idem/,
    ],
    ['with a key that tells of somebody', { 'x-idempotency-key': '123-45-6789' }, /^INVALID_ARGUMENT PRIVACY_BLOCKED/],
    [
      'with a trace id of other characters',
      { 'x-trace-id': '{}' },
      /^INVALID_ARGUMENT INVALID_INPUT: metadata x-trace-id/,
    ],
  ])('%s is refused', async (_, metadata, told) => {
    expect(await refusalOf(room.call('maker', 'GetVotes', { artifact_id: 'x' }, { metadata }))).toMatch(told);
  });

  it('tells the trace of an answer, and keeps the one that the caller names', async () => {
    const id = await room.proposed(['ann']);
    const said = { metadata: { 'x-trace-id': 'trace-of-mine' } };
    const { trailers } = await room.call('ann', 'SubmitVote', voteBy('ann', id), said);
    expect(trailers.get('x-trace-id')).toEqual(['trace-of-mine']);
    const [, cast] = await room.app.stream(`negotiation-${id}`);
    expect(cast!.metadata.trace_id).toBe('trace-of-mine');
  });
});

describe('bytes', () => {
  const vote = methodOf(definitions.room, 'SubmitVote');
  const propose = methodOf(definitions.room, 'SubmitProposal');

  it('that are no message are INTERNAL, and the next call is answered', async () => {
    const { error } = await raw(vote.path, Buffer.from([0x0a, 0xff, 0xff, 0xff, 0xff]), 'ann');
    expect(error?.code).toBe(status.INTERNAL);
    expect(await refusalOf(room.call('ann', 'SubmitVote', voteBy('ann', 'nowhere')))).toMatch(/^NOT_FOUND/);
  });

  it('of more than 16 MiB are not received', async () => {
    const message = proposalBy('maker', 'huge-1', ['ann'], { artifact: Buffer.alloc(16 * 1024 * 1024 + 1, 1) });
    const { error } = await raw(propose.path, propose.requestSerialize(message), 'maker');
    expect(error?.code).toBe(status.RESOURCE_EXHAUSTED);
    expect(await refusalOf(room.call('maker', 'GetVotes', { artifact_id: 'huge-1' }))).toMatch(/^NOT_FOUND/);
  });

  it('of fields that nobody knows are no error', async () => {
    const id = await room.proposed(['ann']);
    // Field 999, a text, behind the message that is known.
    const unknown = Buffer.from([0xba, 0x3e, 0x05, ...Buffer.from('later')]);
    const known = vote.requestSerialize(voteBy('ann', id));
    expect((await raw(vote.path, Buffer.concat([known, unknown]), 'ann')).error).toBeNull();
  });

  it('of a method that nobody serves are UNIMPLEMENTED', async () => {
    const { error } = await raw('/sw4rm.hitl.HitlService/Decide', Buffer.alloc(0), 'ann');
    expect(error?.code).toBe(status.UNIMPLEMENTED);
  });
});

describe('a client that knows the core protocol alone', () => {
  const CORE = `syntax = "proto3"; package sw4rm.negotiation_room;
    service NegotiationRoomService {
      rpc SubmitProposal(SubmitProposalRequest) returns (SubmitProposalResponse);
      rpc GetDecision(SubmitProposalResponse) returns (GetDecisionResponse);
    }
    message NegotiationProposal { int32 artifact_type = 1; string artifact_id = 2; string producer_id = 3; bytes artifact = 4;
      string artifact_content_type = 5; repeated string requested_critics = 6; string negotiation_room_id = 7; }
    message NegotiationDecision { string artifact_id = 1; int32 outcome = 2; string policy_version = 5; string reason = 6; }
    message SubmitProposalRequest { NegotiationProposal proposal = 1; }
    message SubmitProposalResponse { string artifact_id = 1; string negotiation_room_id = 2; }
    message GetDecisionResponse { NegotiationDecision decision = 1; }`;

  it('is served: half of the critics are a quorum, the window is the usual one, and it reads the decision', async () => {
    const file = join(room.app.folder, 'core.proto');
    writeFileSync(file, CORE);
    const core = loadSync(file, { keepCase: true, defaults: true });
    const service = core['sw4rm.negotiation_room.NegotiationRoomService'] as ServiceDefinition;
    const [propose, decision] = [methodOf(service, 'SubmitProposal'), methodOf(service, 'GetDecision')];
    const message = proposalBy('maker', 'core-1', ['ann', 'ben', 'cara']);
    expect((await raw(propose.path, propose.requestSerialize(message), 'maker')).error).toBeNull();
    const [event] = await room.app.stream('negotiation-core-1');
    const { quorum_threshold, quorum_policy, received_at, due_at } = event!.data as Record<string, string>;
    expect([quorum_threshold, quorum_policy]).toEqual([2, {}]);
    expect(Date.parse(due_at!) - Date.parse(received_at!)).toBe(300_000);
    for (const critic of ['ann', 'ben', 'cara']) await room.call(critic, 'SubmitVote', voteBy(critic, 'core-1'));
    const { bytes } = await raw(decision.path, decision.requestSerialize({ artifact_id: 'core-1' }), 'maker');
    expect(decision.responseDeserialize(bytes!)).toMatchObject({
      decision: { artifact_id: 'core-1', outcome: 1, policy_version: 'mace-negotiation-1' },
    });
  });
});

interface Reflected {
  readonly list_services_response?: { readonly service: readonly { readonly name: string }[] };
  readonly file_descriptor_response?: { readonly file_descriptor_proto: readonly Buffer[] };
}

/** One question to the reflection service, by its own definition and without a token. */
function reflected(version: string, request: object): Promise<Reflected> {
  const file = `grpc/reflection/${version}/reflection.proto`;
  const includeDirs = [join(process.cwd(), 'node_modules/@grpc/reflection/build/proto')];
  const all = loadSync(file, { includeDirs, keepCase: true });
  const service = all[`grpc.reflection.${version}.ServerReflection`] as ServiceDefinition;
  const info = methodOf(service, 'ServerReflectionInfo');
  const stream = plain.makeBidiStreamRequest(info.path, info.requestSerialize, info.responseDeserialize);
  return new Promise((resolve, reject) => {
    stream.once('data', (answer: Reflected) => {
      resolve(answer);
      stream.end();
    });
    stream.once('error', reject);
    stream.write(request);
  });
}

it.each(['v1', 'v1alpha'])('the services and their messages are told by reflection %s', async (version) => {
  const { list_services_response: listed } = await reflected(version, { list_services: '' });
  expect(listed!.service.map(({ name }) => name)).toEqual(
    expect.arrayContaining([
      'sw4rm.negotiation_room.NegotiationRoomService',
      'sw4rm.registry.RegistryService',
      'grpc.health.v1.Health',
    ]),
  );
  const { file_descriptor_response: files } = await reflected(version, {
    file_containing_symbol: 'sw4rm.negotiation_room.NegotiationDecision',
  });
  const text = Buffer.concat(files!.file_descriptor_proto).toString('latin1');
  for (const field of ['quorum_met', 'late_votes', 'unavailable_critics']) expect(text).toContain(field);
  // The file that it imports, by which clients find the types of others.
  expect(text).toContain('\u001a\u0015google_protobuf.proto');
  const health = await reflected(version, { file_containing_symbol: 'grpc.health.v1.Health' });
  const described = Buffer.concat(health.file_descriptor_response!.file_descriptor_proto).toString('latin1');
  for (const name of ['HealthCheckRequest', 'Watch', 'NOT_SERVING']) expect(described).toContain(name);
});

describe('where the quorum is not met', () => {
  it.each<[string, number, readonly string[], object]>([
    ['people decide, by default', 0, ['ann'], { outcome: 3, votes_received: 1, quorum_met: false }],
    [
      'abstentions are counted where that is asked for',
      1,
      ['ann'],
      { outcome: 2, votes_received: 1, quorum_met: false },
    ],
    [
      'the votes there are decide where that is asked for',
      2,
      ['ann'],
      { outcome: 1, votes_received: 1, quorum_met: false },
    ],
    [
      'people decide where nobody voted, whatever is asked for',
      1,
      [],
      { outcome: 3, aggregated_score: null, votes: [] },
    ],
  ])('%s', async (_, on_failure, voters, told) => {
    const quorum_policy = { minimum_votes: 2, on_failure };
    const id = await room.proposed(['ann', 'ben', 'cara'], { vote_collection_timeout_s: 1, quorum_policy });
    for (const critic of voters) await room.call(critic, 'SubmitVote', voteBy(critic, id));
    const { response } = await room.call<Decided>('maker', 'WaitForDecision', { artifact_id: id });
    const { decision } = response;
    expect(decision).toMatchObject({ votes_expected: 3, collection_timeout_reached: true, ...told });
    expect(decision.unavailable_critics).toEqual(['ann', 'ben', 'cara'].slice(voters.length));
    const isAbstain = on_failure === 1 && voters.length > 0;
    expect(decision.votes.map(({ critic_id }) => critic_id)).toEqual(isAbstain ? ['ann', 'ben', 'cara'] : voters);
    const votes = await room.call<{ votes: WireVote[] }>('maker', 'GetVotes', { artifact_id: id });
    expect(votes.response.votes.map(({ critic_id }) => critic_id)).toEqual(voters);
    if (isAbstain) {
      expect(decision.votes.slice(1)).toMatchObject([
        { score: 0, confidence: 0, passed: false },
        { score: 0, confidence: 0, passed: false },
      ]);
      expect(decision.aggregated_score).toMatchObject({ mean: 3, vote_count: 3 });
    }
  });

  it.each([
    [5, 3],
    [45, 27],
    [50, 30],
    [100, 60],
  ])('a fraction of 0.6 of %i critics, as the float that it travels as, is %i votes', async (critics, threshold) => {
    const asked = Array.from({ length: critics }, (_, i) => `c${i}`);
    const id = await room.proposed(asked, { quorum_policy: { minimum_fraction: 0.6 } });
    const [event] = await room.app.stream(`negotiation-${id}`);
    expect(event!.data['quorum_threshold']).toBe(threshold);
  });
});

describe('a retry under its key', () => {
  const key = { metadata: { 'x-idempotency-key': 'again-1' } };

  it('after the close is the first answer again and not late, also after a restart; a second late vote is refused', async () => {
    const id = await room.proposed(['ann', 'ben'], {
      vote_collection_timeout_s: 1,
      quorum_policy: { minimum_votes: 1 },
    });
    const first = await room.call('ann', 'SubmitVote', voteBy('ann', id), key);
    const { response } = await room.call<Decided>('maker', 'WaitForDecision', { artifact_id: id });
    await room.stop();
    await room.restart();
    plain.close();
    plain = new Client(`127.0.0.1:${room.port}`, credentials.createInsecure());
    const again = await room.call('ann', 'SubmitVote', voteBy('ann', id), key);
    expect([again.response, again.trailers.get('sw4rm-vote-disposition')]).toEqual([first.response, []]);
    expect(await refusalOf(room.call('ann', 'SubmitVote', voteBy('ann', id)))).toMatch(/^ALREADY_EXISTS CONFLICT/);
    await room.call('ben', 'SubmitVote', voteBy('ben', id), key);
    const late = await room.call('ben', 'SubmitVote', voteBy('ben', id), key);
    expect(late.trailers.get('sw4rm-vote-disposition')).toEqual(['late']);
    expect(await refusalOf(room.call('ben', 'SubmitVote', voteBy('ben', id)))).toMatch(/^ALREADY_EXISTS CONFLICT/);
    const after = await room.call<Decided>('maker', 'GetDecision', { artifact_id: id });
    expect(after.response.decision).toMatchObject({ ...response.decision, late_votes: [{ critic_id: 'ben' }] });
  });

  it('is answered as before where the key that hashes messages was rotated, and another message is refused', async () => {
    const rotated = { metadata: { 'x-idempotency-key': 'rotated-1' } };
    const proposal = proposalBy('maker', 'rotated', ['ann', 'ben']);
    const agent = { agent: { agent_id: 'ann', name: 'Ann' } };
    const calls: readonly [string, string, object, object][] = [
      ['maker', 'SubmitProposal', proposal, proposalBy('maker', 'rotated', ['ann', 'ben', 'cara'])],
      ['ann', 'SubmitVote', voteBy('ann', 'rotated'), voteBy('ann', 'rotated', { score: 1 })],
      ['ann', 'RegisterAgent', agent, { agent: { agent_id: 'ann', name: 'Otto' } }],
    ];
    const answers: unknown[] = [];
    for (const [who, method, message] of calls) answers.push((await room.call(who, method, message, rotated)).response);
    await room.stop();
    await room.restart(() => rotateKey(keyFileIn(room.app.folder), 'request-hmac', Date.now()));
    for (const [i, [who, method, message, other]] of calls.entries()) {
      expect((await room.call(who, method, message, rotated)).response).toEqual(answers[i]);
      expect(await refusalOf(room.call(who, method, other, rotated))).toMatch(/^ALREADY_EXISTS /);
    }
  });
});

it('lets 256 wait for one decision, refuses the next, and takes one again when somebody has gone', async () => {
  const id = await room.proposed(['ann']);
  const wait = { artifact_id: id, timeout_seconds: 60 };
  const waiting = room.app.parts.app.nest.get(Waiters, { strict: false });
  const gone = new AbortController();
  const cancelled = refusalOf(room.call('maker', 'WaitForDecision', wait, { signal: gone.signal }));
  const others = Array.from({ length: MAX_WAITERS - 1 }, () => room.call<Decided>('maker', 'WaitForDecision', wait));
  await until(() => Promise.resolve(waiting.size === MAX_WAITERS));
  expect(await refusalOf(room.call('ann', 'WaitForDecision', wait))).toMatch(
    /^RESOURCE_EXHAUSTED RATE_LIMITED: at most 256/,
  );
  gone.abort();
  expect(await cancelled).toMatch(/^CANCELLED/);
  await until(() => Promise.resolve(waiting.size === MAX_WAITERS - 1));
  others.push(room.call<Decided>('ann', 'WaitForDecision', wait));
  await until(() => Promise.resolve(waiting.size === MAX_WAITERS));
  await room.call('ann', 'SubmitVote', voteBy('ann', id));
  const outcomes = (await Promise.all(others)).map(({ response }) => response.decision.outcome);
  expect(new Set(outcomes)).toEqual(new Set([1]));
  const at = performance.now();
  await room.call('maker', 'WaitForDecision', wait);
  expect(performance.now() - at).toBeLessThan(5000);
}, 60_000);

it('is UNAVAILABLE while the event store is down, and tells nothing of it', async () => {
  const id = await room.proposed(['ann']);
  const append = jest
    .spyOn(room.app.parts.platform.eventStore, 'append')
    .mockRejectedValue(new StoreUnavailableError('/secret/path'));
  const refusal = await refusalOf(room.call('ann', 'SubmitVote', voteBy('ann', id)));
  append.mockRestore();
  expect(refusal).toMatch(/^UNAVAILABLE DATA_UNAVAILABLE/);
  expect(refusal).not.toContain('secret');
  await room.call('ann', 'SubmitVote', voteBy('ann', id));
});
