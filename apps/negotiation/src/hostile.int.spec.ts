import { setMaxListeners } from 'node:events';
import { connect } from 'node:http2';

import { Client, credentials, Metadata, type MethodDefinition, status } from '@grpc/grpc-js';

import { signToken } from '#lib/access';
import { Waiters } from '#lib/negotiation';

import { eraseKeys } from '../../../test/support/erased-keys.js';
import { until } from '../../../test/support/eventually.js';
import { RoomApp } from '../../../test/support/room-app.js';
import { proposalBy, refusalOf, voteBy } from '../../../test/support/room-client.js';
import { Draw } from '../../../test/simulation/draw.js';
import { loadDefinitions } from './proto/definitions.js';
import type { WireDecision, WireVote } from './proto/messages.js';

/** What somebody sends who means no good, by real gRPC: every answer is a status of the table, and the next call is served. */

let room: RoomApp;
let plain: Client;
beforeAll(async () => {
  room = await RoomApp.open({ tuff: 'user' });
  plain = new Client(`127.0.0.1:${room.port}`, credentials.createInsecure());
});
afterAll(async () => {
  plain.close();
  await room.dispose();
});

const { room: service, registry } = loadDefinitions();
const methodOf = (name: string): MethodDefinition<object, object> =>
  (service[name] ?? registry[name])! as MethodDefinition<object, object>;

interface Refused {
  readonly code: status;
  readonly details: string;
}

/** Bytes as they are given, under these tokens. */
function raw(name: string, bytes: Buffer, ...tokens: readonly string[]): Promise<Refused | null> {
  const metadata = new Metadata();
  for (const token of tokens) metadata.add('authorization', `Bearer ${token}`);
  const same = (buffer: Buffer): Buffer => buffer;
  return new Promise((resolve) =>
    plain.makeUnaryRequest(methodOf(name).path, same, same, bytes, metadata, (error) => resolve(error)),
  );
}

const waitingNow = (): number => room.app.parts.app.nest.get(Waiters, { strict: false }).size;

describe('a call that is too much is INVALID_ARGUMENT:', () => {
  const manyOf = (count: number): readonly string[] => Array.from({ length: count }, () => '');
  const LONG = 'a'.repeat(1_000_000);
  const agent = (more: object) => ({ agent: { agent_id: 'ann', ...more } });
  const proposal = (more: object) => proposalBy('maker', 'x', ['ann'], more);
  it.each<[string, string, string, object, RegExp]>([
    [
      'a hundred thousand words',
      'ann',
      'SubmitVote',
      voteBy('ann', 'x', { weaknesses: manyOf(100_000) }),
      /10000 fields/,
    ],
    [
      'a thousand and two words',
      'ann',
      'SubmitVote',
      voteBy('ann', 'x', { strengths: manyOf(1002) }),
      /most 1000 of them/,
    ],
    ['words of a megabyte', 'ann', 'SubmitVote', voteBy('ann', 'x', { strengths: [LONG] }), /131072 bytes of JSON/],
    [
      'words that swell',
      'ann',
      'SubmitVote',
      voteBy('ann', 'x', { strengths: ['\u0001'.repeat(30_000)] }),
      /131072 bytes/,
    ],
    ['a million capabilities', 'ann', 'RegisterAgent', agent({ capabilities: manyOf(1_000_000) }), /10000 fields/],
    ['65 capabilities', 'ann', 'RegisterAgent', agent({ capabilities: manyOf(65) }), /capabilities: at most 64/],
    ['a name of a megabyte', 'ann', 'RegisterAgent', agent({ name: LONG }), /agent.name: at most/],
    ['a reason of a megabyte', 'ann', 'DeregisterAgent', { agent_id: 'ann', reason: LONG }, /reason: at most/],
    [
      '1,025 critics',
      'maker',
      'SubmitProposal',
      proposalBy('maker', 'x', manyOf(1025)),
      /requested_critics: at most 1024/,
    ],
    [
      'a hundred thousand critics',
      'maker',
      'SubmitProposal',
      proposalBy('maker', 'x', manyOf(100_000)),
      /10000 fields/,
    ],
    ['an id of a megabyte', 'maker', 'SubmitProposal', proposalBy('maker', LONG, ['ann']), /artifact_id: 1 to 128/],
    ['one to read', 'maker', 'GetDecision', { artifact_id: LONG }, /artifact_id: 1 to 128/],
    ['one to wait for', 'maker', 'WaitForDecision', { artifact_id: LONG }, /artifact_id: 1 to 128/],
    [
      'a room of a megabyte',
      'maker',
      'GetVotes',
      { artifact_id: 'x', negotiation_room_id: LONG },
      /negotiation_room_id: 1/,
    ],
    [
      'a type of a megabyte',
      'maker',
      'SubmitProposal',
      proposal({ artifact_content_type: LONG }),
      /artifact_content_type: a/,
    ],
  ])('%s', async (_, who, method, message, told) => {
    const refusal = await refusalOf(room.call(who, method, message));
    expect(refusal).toMatch(/^INVALID_ARGUMENT INVALID_INPUT: /);
    expect(refusal).toMatch(told);
    expect(refusal.length).toBeLessThan(300);
  });
});

it('ids that are personal only beside one another are taken, and one that is by itself is not', async () => {
  await room.proposed(['123', '45', '6789']);
  const asked = proposalBy('maker', 'personal-1', ['ann', '123-45-6789']);
  expect(await refusalOf(room.call('maker', 'SubmitProposal', asked))).toMatch(
    /^INVALID_ARGUMENT PRIVACY_BLOCKED: requested_critics/,
  );
});

describe('text that is no UTF-8', () => {
  it('is kept as marks of what was none, in votes and registrations', async () => {
    const id = await room.proposed(['ann', 'ben']);
    const messages: readonly [string, object][] = [
      ['SubmitVote', voteBy('ann', id, { strengths: ['@@@'] })],
      ['RegisterAgent', { agent: { agent_id: 'ann', name: '@@@' } }],
      ['DeregisterAgent', { agent_id: 'ann', reason: '@@@' }],
    ];
    for (const [name, message] of messages) {
      const bytes = methodOf(name).requestSerialize(message);
      // A lone surrogate.
      Buffer.from([0xed, 0xa0, 0x80]).copy(bytes, bytes.indexOf('@@@'));
      expect([name, await raw(name, bytes, await room.tokenOf('ann'))]).toEqual([name, null]);
    }
    const { response } = await room.call<{ votes: WireVote[] }>('maker', 'GetVotes', { artifact_id: id });
    expect(response.votes[0]!.strengths).toEqual([expect.stringMatching(/^\ufffd+$/)]);
  });
});

it('a score and a confidence of minus nothing are nothing', async () => {
  const id = await room.proposed(['ann', 'ben']);
  await room.call('ann', 'SubmitVote', voteBy('ann', id, { score: -0, confidence: -0 }));
  const { response } = await room.call<{ votes: WireVote[] }>('maker', 'GetVotes', { artifact_id: id });
  expect([response.votes[0]!.score, response.votes[0]!.confidence]).toEqual([0, 0]);
});

describe('a token', () => {
  const order = { userId: 'ann', roles: ['agent'] as const, issuer: 'mace', audience: 'mace', ttlSeconds: 3600 };
  const signed = (more: object = {}): Promise<string> =>
    signToken(room.app.parts.platform.ring, { ...order, now: Date.now(), ...more });
  const unsigned = (): string => {
    const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');
    return `${part({ alg: 'none', typ: 'JWT' })}.${part({ sub: 'ann', iss: 'mace', aud: 'mace', exp: 4e9 })}.`;
  };
  // Not its end, which is the same by chance now and then.
  const forged = (token: string): string =>
    token.replace(/\.(.)([^.]*)$/, (_, first: string, rest: string) => `.${first === 'A' ? 'B' : 'A'}${rest}`);
  it.each<[string, () => Promise<readonly string[]>]>([
    ['that has expired', async () => [await signed({ now: Date.now() - 7_200_000 })]],
    ['for somebody else to take', async () => [await signed({ audience: 'elsewhere' })]],
    ['of another issuer', async () => [await signed({ issuer: 'elsewhere' })]],
    ['that nobody signed', () => Promise.resolve([unsigned()])],
    ['with another signature', async () => [forged(await signed())]],
    ['of a kilobyte too much', () => Promise.resolve(['a'.repeat(5000)])],
  ])('%s is UNAUTHENTICATED', async (_, tokens) => {
    const bytes = methodOf('GetVotes').requestSerialize({ artifact_id: 'x' });
    expect((await raw('GetVotes', bytes, ...(await tokens())))?.code).toBe(status.UNAUTHENTICATED);
  });

  it('that was revoked is UNAUTHENTICATED, over gRPC too', async () => {
    const [rex, token] = [await room.app.caller('rex', ['agent']), await signed({ userId: 'rex' })];
    const bytes = methodOf('GetVotes').requestSerialize({ artifact_id: 'x' });
    expect((await raw('GetVotes', bytes, token))?.code).toBe(status.NOT_FOUND);
    expect((await rex.send('POST', '/auth/revoke', { token })).status).toBe(200);
    expect((await raw('GetVotes', bytes, token))?.code).toBe(status.UNAUTHENTICATED);
  });
});

describe('one x-idempotency-key of a registration', () => {
  const key = { metadata: { 'x-idempotency-key': 'register-1' } };
  const call = (method: string, message: object) => room.call('rita', method, message, key);
  const agent = { agent_id: 'rita', name: 'Rita' };
  const types = async () => (await room.app.stream('critic-rita')).map(({ type }) => type);

  it('is one registration, one heartbeat, one farewell, however often; with another message it is refused', async () => {
    const answers: unknown[] = [];
    for (const [method, message, other] of [
      ['RegisterAgent', { agent }, { agent: { ...agent, name: 'Otto' } }],
      ['Heartbeat', { agent_id: 'rita', state: 1 }, { agent_id: 'rita', state: 2 }],
      ['DeregisterAgent', { agent_id: 'rita' }, { agent_id: 'rita', reason: 'tired' }],
    ] as const) {
      const first = await call(method, message);
      answers.push(first.response);
      expect((await call(method, message)).response).toEqual(first.response);
      expect(await refusalOf(call(method, other))).toMatch(/^ALREADY_EXISTS IDEMPOTENCY_KEY_REUSED: x-idempotency-key/);
    }
    expect(answers).toEqual([{ accepted: true, reason: '' }, { ok: true }, { ok: true }]);
    expect(await types()).toEqual(['AGENT_REGISTERED', 'AGENT_HEARTBEAT', 'AGENT_DEREGISTERED']);
  });
});

it('bytes that were changed at random get a status of the table, and no fault of ours', async () => {
  const id = await room.proposed(['ann']);
  const quorum_policy = { minimum_fraction: 0.5 };
  const messages: readonly (readonly [string, object, string])[] = [
    ['SubmitVote', voteBy('ann', id), 'ann'],
    ['SubmitProposal', proposalBy('maker', 'changed-1', ['ann'], { quorum_policy }), 'maker'],
    ['GetVotes', { artifact_id: id }, 'maker'],
    ['RegisterAgent', { agent: { agent_id: 'ann', name: 'Ann', capabilities: ['x'] } }, 'ann'],
    ['Heartbeat', { agent_id: 'ann', state: 1, health: { a: 'b' } }, 'ann'],
  ];
  const draw = new Draw('changed bytes');
  const seen = new Set<string>();
  for (let i = 0; i < 400; i++) {
    const [name, message, who] = draw.one(messages);
    const bytes = Buffer.from(methodOf(name).requestSerialize(message));
    for (let j = draw.between(1, 3); j > 0; j--) bytes[draw.between(0, bytes.length - 1)] = draw.between(0, 255);
    const cut = draw.chance(0.2) ? bytes.subarray(0, draw.between(0, bytes.length)) : bytes;
    const error = await raw(name, cut, await room.tokenOf(who));
    // The library says this of what it cannot decode, and we say nothing like it.
    const isUndecoded = error?.code === status.INTERNAL && error.details === 'Error deserializing request';
    seen.add(error === null ? 'OK' : isUndecoded ? 'undecoded' : status[error.code]);
  }
  const known = ['ALREADY_EXISTS', 'INVALID_ARGUMENT', 'NOT_FOUND', 'OK', 'PERMISSION_DENIED', 'undecoded'];
  expect([...seen].filter((name) => !known.includes(name))).toEqual([]);
  expect(seen.size).toBeGreaterThan(4);
}, 60_000);

/** A call by HTTP/2 itself, for what no client library sends. @returns grpc-status, or the status of HTTP */
async function byHand(headers: Record<string, string>, bytes: Buffer): Promise<string> {
  const session = connect(`http://127.0.0.1:${room.port}`);
  try {
    const stream = session.request({
      ':method': 'POST',
      ':path': methodOf('SubmitVote').path,
      'content-type': 'application/grpc',
      te: 'trailers',
      authorization: `Bearer ${await room.tokenOf('ann')}`,
      ...headers,
    });
    const length = Buffer.alloc(5);
    length.writeUInt32BE(bytes.length, 1);
    return await new Promise((resolve, reject) => {
      let told = '';
      stream.on('response', (got) => (told = String(got['grpc-status'] ?? got[':status'])));
      stream.on('trailers', (got) => (told = String(got['grpc-status'])));
      stream.on('error', reject);
      stream.on('close', () => resolve(told));
      stream.resume();
      stream.end(Buffer.concat([length, bytes]));
    });
  } finally {
    session.close();
  }
}

describe('by HTTP/2 itself', () => {
  const vote = async (): Promise<Buffer> =>
    methodOf('SubmitVote').requestSerialize(voteBy('ann', await room.proposed(['ann'])));
  it.each<[string, Record<string, string>, string]>([
    ['a call as it should be is answered', {}, String(status.OK)],
    [
      'a call whose deadline had passed is DEADLINE_EXCEEDED',
      { 'grpc-timeout': '0n' },
      String(status.DEADLINE_EXCEEDED),
    ],
    ['a call of an unknown service is UNIMPLEMENTED', { ':path': '/no.Such/Method' }, String(status.UNIMPLEMENTED)],
    ['a body of another type is 415', { 'content-type': 'application/json' }, '415'],
  ])('%s', async (_, headers, told) => {
    expect(await byHand(headers, await vote())).toBe(told);
  });
});

describe('of many that wait', () => {
  it('each gets the decision of its own artifact, and nobody keeps a place', async () => {
    const ids = await Promise.all(Array.from({ length: 4 }, () => room.proposed(['ann'])));
    const waiting = ids.flatMap((artifact_id) =>
      Array.from({ length: 250 }, () =>
        room.call<{ decision: WireDecision }>('maker', 'WaitForDecision', { artifact_id, timeout_seconds: 600 }),
      ),
    );
    await until(() => waitingNow() === 1000);
    for (const id of ids) await room.call('ann', 'SubmitVote', voteBy('ann', id));
    const decided = (await Promise.all(waiting)).map(({ response }) => response.decision.artifact_id);
    expect(decided).toEqual(ids.flatMap((id) => Array.from({ length: 250 }, () => id)));
    expect(waitingNow()).toBe(0);
  }, 60_000);

  it('those that are cancelled leave, also more of them than HTTP/2 takes on one connection', async () => {
    const id = await room.proposed(['ann']);
    const wait = { artifact_id: id, timeout_seconds: 4_294_967_295 };
    for (let round = 0; round < 5; round++) {
      const gone = new AbortController();
      setMaxListeners(0, gone.signal);
      const said = { signal: gone.signal };
      const waiting = Array.from({ length: 250 }, () => refusalOf(room.call('maker', 'WaitForDecision', wait, said)));
      await until(() => waitingNow() === 250);
      gone.abort();
      await Promise.all(waiting);
      await until(() => waitingNow() === 0);
    }
    // A connection that was closed for it is opened anew.
    await until(async () => (await refusalOf(room.call('maker', 'GetVotes', { artifact_id: id }))) === 'OK');
  }, 60_000);
});

describe('what is in the store', () => {
  it('that nobody signed decides nothing: its negotiation is DATA_LOSS, and every other goes on', async () => {
    const [id, other] = [await room.proposed(['ann', 'ben']), await room.proposed(['ann'])];
    const stream = `negotiation-${id}`;
    await room.call('ann', 'SubmitVote', voteBy('ann', id));
    const { eventStore } = room.app.parts.platform;
    const { events } = await eventStore.readStream(stream);
    const copied = events[1]!.text.replaceAll('"ann"', '"ben"').replaceAll('user_ann', 'user_ben');
    await eventStore.append(stream, 2, [{ id: 'f'.repeat(64), type: 'VOTE_CAST', text: copied }]);
    for (const doing of [
      room.call('maker', 'GetDecision', { artifact_id: id }),
      room.call('maker', 'WaitForDecision', { artifact_id: id }),
      room.call('ben', 'SubmitVote', voteBy('ben', id)),
    ])
      expect(await refusalOf(doing)).toMatch(/^DATA_LOSS INTEGRITY_FAILURE: stream negotiation-art-\d+, revision 2/);
    expect((await eventStore.readStream(stream)).version).toBe(3);
    await room.call('ann', 'SubmitVote', voteBy('ann', other));
    const { response } = await room.call<{ decision: WireDecision }>('maker', 'WaitForDecision', {
      artifact_id: other,
    });
    expect(response.decision.outcome).toBe(1);
  });

  it('of somebody who was erased reads as that, and the decision stays', async () => {
    const id = await room.proposed(['gone', 'ben']);
    await room.call('gone', 'SubmitVote', voteBy('gone', id, { weaknesses: ['mumbled'] }));
    await room.call('ben', 'SubmitVote', voteBy('ben', id));
    const before = await room.call<{ decision: WireDecision }>('maker', 'GetDecision', { artifact_id: id });
    await eraseKeys(room.app, 'user_gone');
    await eraseKeys(room.app, 'user_maker');
    const { response } = await room.call<{ decision: WireDecision }>('maker', 'GetDecision', { artifact_id: id });
    const erased = { strengths: ['[erased]'], weaknesses: ['[erased]'], recommendations: ['[erased]'] };
    const [gone, ben] = before.response.decision.votes;
    expect(response.decision).toEqual({ ...before.response.decision, votes: [{ ...gone, ...erased }, ben] });
    const reader = await room.app.caller('ben', ['agent']);
    const { body } = await reader.get<{ artifact: string | null }>(`/negotiations/${id}`);
    expect(body.artifact).toBeNull();
  });
});
