import { request as httpRequest } from 'node:http';
import { type AddressInfo, connect } from 'node:net';

import { createClient } from 'graphql-ws';
import { WebSocket } from 'ws';

import { hasRole, permissionOf, RevocationList, type Role, ROLES, signToken, type TokenOrder } from '#lib/access';
import type { AuditEvent } from '#lib/audit';
import { positionOf, START } from '#lib/event-store';

import { eventually, until } from '../../../../../test/support/eventually.js';
import { JobApp } from '../../../../../test/support/job-app.js';
import { EventTail } from '../../live/event-tail.js';
import { FIELDS, SUBSCRIPTIONS } from '../rooms/index.js';
import { GraphqlSocket, type ToldMember } from '../testing/socket.js';
import { SOCKET_LIMITS } from './socket-limits.js';

/** Subscriptions over real sockets: what is followed, by whom, and what is refused. */

const ENDINGS =
  '__typename ... on LiveEnded { error_code reason resume_after } ... on Failure { code: error_code developer_message }';
const EVENT = '... on AuditEventRow { event_id stream revision position type redacted data hash }';
const STEP = '... on JobStep { job_id stage revision at ended position }';
const REBUILD = '... on ProjectionRebuild { rebuild_id state processed total equal }';
const tail = (given = ''): string => `subscription { eventTail${given} { ${ENDINGS} ${EVENT} } }`;
const progress = (jobId: string, given = ''): string =>
  `subscription { jobProgress(job_id: "${jobId}"${given}) { ${ENDINGS} ${STEP} } }`;
const rebuild = (id: string): string =>
  `subscription { projectionRebuildProgress(name: "sem", rebuild_id: "${id}") { ${ENDINGS} ${REBUILD} } }`;

let app: JobApp;
let url: string;
const sockets: GraphqlSocket[] = [];

beforeAll(async () => {
  app = await JobApp.open();
  await app.parts.app.fastify.listen({ host: '127.0.0.1', port: 0 });
  url = `http://127.0.0.1:${port()}`;
});
afterEach(() => {
  for (const socket of sockets.splice(0)) socket.close();
});
afterAll(() => app.dispose());

const port = (): number => (app.parts.app.fastify.server.address() as AddressInfo).port;

function token(userId: string, roles: readonly Role[], more: Partial<TokenOrder> = {}): Promise<string> {
  const order = { userId, roles, issuer: 'mace', audience: 'mace', ttlSeconds: 3600, now: Date.now(), ...more };
  return signToken(app.parts.platform.ring, order);
}

function kept(socket: GraphqlSocket): GraphqlSocket {
  sockets.push(socket);
  return socket;
}

async function socketOf(userId: string, roles: readonly Role[] = ['user']): Promise<GraphqlSocket> {
  return kept(await GraphqlSocket.of(url, await token(userId, roles)));
}

async function put(value: string): Promise<void> {
  const caller = await app.caller('tuff');
  expect((await caller.send('PUT', '/sem/user/profile/user_tuff/favorite_color', { value })).status).toBe(200);
}

const positions = (told: readonly ToldMember[]): readonly unknown[] =>
  told.filter(({ __typename: type }) => type === 'AuditEventRow').map(({ position }) => position);

describe('eventTail', () => {
  it.each(['auditor', 'operator'] as const)(
    'tells %s what the list of events shows of them, redacted',
    async (role) => {
      const socket = await socketOf('ann', [role]);
      socket.subscribe('1', tail('(types: "SEM_PUT")'));
      const reader = app.parts.app.nest.get(EventTail, { strict: false });
      await until(() => reader.size > 0, 'a reader');
      await put('chartreuse');
      const event = await eventually(() => socket.told('1')[0]);
      expect(event).toMatchObject({ __typename: 'AuditEventRow', type: 'SEM_PUT', redacted: true });
      expect(JSON.stringify(socket.sent)).not.toContain('chartreuse');
      const auditor = await app.caller('ann', ['auditor']);
      const list = await auditor.get<{ items: AuditEvent[] }>(`/audit/events?from=${String(event['position'])}`);
      const { data, hash } = list.body.items[0]!;
      expect(event['hash']).toBe(hash);
      const shown = JSON.stringify(event['data']);
      expect(shown.includes('pii_hash')).toBe(role === 'auditor' && JSON.stringify(data).includes('pii_hash'));
    },
  );

  it('goes on exactly after a position, without gap or repetition, while it is written to', async () => {
    const operator = await token('otto', ['operator']);
    const before = await app.parts.platform.eventStore.head();
    const all: unknown[] = [];
    let after: unknown = before;
    for (let turn = 0; turn < 4; turn++) {
      const writing = Promise.all([put('red'), put('green'), put('blue')]);
      const socket = kept(await GraphqlSocket.of(url, operator));
      socket.subscribe('again', tail(`(after: "${String(after)}")`));
      await until(() => socket.told('again').length >= 1, 'an event');
      if (turn === 3) {
        await writing;
        const { events } = await app.parts.platform.eventStore.readAll({ after: before, limit: 4096 });
        await until(() => all.length + socket.told('again').length >= events.length, 'the rest');
      }
      socket.close();
      all.push(...positions(socket.told('again')));
      after = all.at(-1);
      await writing;
    }
    const { events } = await app.parts.platform.eventStore.readAll({ after: positionOf(String(before)), limit: 4096 });
    expect(all).toEqual(events.slice(0, all.length).map(({ position }) => position));
    expect(all.length).toBeGreaterThan(9);
  });

  it('ends with where to go on, and takes only the types and the stream that are asked for', async () => {
    const socket = await socketOf('otto', ['operator']);
    socket.subscribe('1', tail('(types: "SEM_PUT,DSR_REQUEST", after: "0", follow: false)'));
    const told = await socket.whole('1');
    expect(new Set(told.slice(0, -1).map(({ type }) => type))).toEqual(new Set(['SEM_PUT']));
    expect(told.at(-1)).toMatchObject({ __typename: 'LiveEnded', error_code: null, reason: 'up_to_date' });
    const { stream } = told[0]!;
    socket.subscribe('2', tail(`(stream: ${JSON.stringify(stream)}, after: "0", follow: false)`));
    const one = await socket.whole('2');
    expect(new Set(one.slice(0, -1).map((event) => event['stream']))).toEqual(new Set([stream]));
    socket.subscribe('3', tail(`(after: "${String(one.at(-1)!['resume_after'])}", follow: false)`));
    expect(positions(await socket.whole('3'))).toEqual([]);
  });

  it.each(['abc', '99999999', '-1', ''])('refuses the position %p as the list of failures says', async (after) => {
    const socket = await socketOf('otto', ['operator']);
    socket.subscribe('1', tail(`(after: "${after}")`));
    expect(await socket.whole('1')).toEqual([
      expect.objectContaining({ __typename: 'InvalidInput', code: 'INVALID_INPUT' }),
    ]);
    socket.subscribe('2', tail('(types: "a,,b")'));
    expect(await socket.whole('2')).toEqual([expect.objectContaining({ __typename: 'InvalidInput' })]);
  });

  it('gives the place of a reader back when it is completed, or its socket goes', async () => {
    const reader = app.parts.app.nest.get(EventTail, { strict: false });
    await until(() => reader.size === 0, 'nobody reading');
    const socket = await socketOf('otto', ['operator']);
    socket.subscribe('1', tail());
    socket.subscribe('2', tail());
    await until(() => reader.size === 2, 'two readers');
    socket.say({ type: 'complete', id: '1' });
    await until(() => reader.size === 1, 'one reader');
    socket.close();
    await until(() => reader.size === 0, 'no reader');
  });
});

describe('jobProgress', () => {
  it('tells owner and operator each stage and nothing that was said, and ends with the job', async () => {
    const owner = await app.caller('tuff');
    const asked = await owner.send('POST', '/jobs', { query_text: '6 * 7' }, { prefer: 'respond-async' });
    const jobId = asked.body.job_id;
    for (const [user, role] of [
      ['tuff', 'user'],
      ['otto', 'operator'],
    ] as const) {
      const socket = await socketOf(user, [role]);
      socket.subscribe('job', progress(jobId));
      const told = await socket.whole('job');
      const steps = told.slice(0, -1);
      expect(steps.map(({ revision }) => revision)).toEqual(steps.map((_, i) => i));
      expect([steps[0]!['stage'], steps.at(-1)!['stage']]).toEqual(['JOB_ACCEPTED', 'JOB_SEALED']);
      expect(steps.map(({ ended }) => ended)).toEqual(steps.map((_, i) => i === steps.length - 1));
      expect(told.at(-1)).toMatchObject({ __typename: 'LiveEnded', reason: 'job_ended' });
      expect(JSON.stringify(told)).not.toContain('6 * 7');
      socket.subscribe('rest', progress(jobId, `, after: "${String(steps[1]!['position'])}"`));
      expect((await socket.whole('rest')).slice(0, -1)).toEqual(steps.slice(2));
    }
  });

  it('of another is as if there were none', async () => {
    const { body } = await (await app.caller('tuff')).ask('2 + 2');
    const socket = await socketOf('bob');
    const none = `job:${'0'.repeat(32)}`;
    socket.subscribe('another', progress(body.job_id));
    socket.subscribe('none', progress(none));
    const [[another], [missing]] = [await socket.whole('another'), await socket.whole('none')];
    expect(another).toMatchObject({ __typename: 'NotFound', code: 'NOT_FOUND' });
    expect(JSON.stringify(another).replaceAll(body.job_id, '')).toBe(JSON.stringify(missing).replaceAll(none, ''));
  });
});

describe('projectionRebuildProgress', () => {
  it('tells how far a rebuild is until it runs no more, to operators alone', async () => {
    const admin = await app.caller('ada', ['admin'], ['otp']);
    const begun = await admin.send<{ rebuild_id: string }>('POST', '/projections/sem/rebuild', { reason: 'a test' });
    const query = rebuild(begun.body.rebuild_id);
    const socket = await socketOf('otto', ['operator']);
    socket.subscribe('1', query);
    const told = await socket.whole('1');
    expect(told.at(-1)).toMatchObject({ __typename: 'LiveEnded', reason: 'ended', resume_after: null });
    expect(told.at(-2)).toMatchObject({ __typename: 'ProjectionRebuild', state: 'ready', equal: true });
    expect(new Set(told.map((one) => JSON.stringify(one))).size).toBe(told.length);
    socket.subscribe('2', rebuild('rb-none'));
    expect(await socket.whole('2')).toMatchObject([{ __typename: 'NotFound' }]);
    const user = await socketOf('tuff');
    user.subscribe('1', query);
    expect(await user.whole('1')).toMatchObject([{ __typename: 'PermissionDenied' }]);
  });
});

describe('the permission of a subscription', () => {
  it('opens it to the roles of its row and to no others, and a refusal is counted', async () => {
    const given: Readonly<Record<string, string>> = {
      eventTail: '(follow: false)',
      jobProgress: '(job_id: "none")',
      projectionRebuildProgress: '(name: "sem", rebuild_id: "none")',
    };
    const wrong: string[] = [];
    for (const role of ROLES) {
      const socket = await socketOf(`door_${role}`, [role]);
      for (const { name, operation } of SUBSCRIPTIONS) {
        const { roles } = permissionOf(operation.access);
        const isOpen = roles.some((one) => hasRole({ id: '', roles: [role], elevated: false }, one));
        socket.subscribe(name, `subscription { ${name}${given[name]!} { ${ENDINGS} } }`);
        const [first] = await socket.whole(name);
        if ((first?.__typename !== 'PermissionDenied') !== isOpen)
          wrong.push(`${name} as ${role}: ${JSON.stringify(first)}`);
      }
    }
    expect(wrong).toEqual([]);
    await app.parts.platform.denials.close();
    expect(JSON.stringify(await app.stream('access-user_door_user'))).toContain('events.tail');
  });
});

describe('who may open a socket', () => {
  it('is whoever shows a token, by connection_init or by the header of the upgrade', async () => {
    const bearer = `Bearer ${await token('otto', ['operator'])}`;
    for (const [headers, payload] of [
      [{}, { authorization: bearer }],
      [{}, { Authorization: bearer }],
      [{ authorization: bearer }, undefined],
      [{ authorization: bearer }, { authorization: bearer }],
    ] as const) {
      const socket = kept(await GraphqlSocket.open(url, headers));
      socket.say({ type: 'connection_init', ...(payload ? { payload } : {}) });
      await until(() => socket.has('connection_ack'), 'connection_ack');
    }
  });

  it('is nobody with a token of the bad kinds, nor without one', async () => {
    const now = Date.now();
    const revoked = await token('revoked', ['operator']);
    const caller = await app.caller('revoked', ['operator']);
    expect((await caller.send('POST', '/auth/revoke', { token: revoked })).status).toBe(200);
    const good = await token('otto', ['operator']);
    const bad: readonly (readonly [string, object | undefined])[] = [
      ['no payload', undefined],
      ['nothing', {}],
      ['headers within it', { headers: { authorization: `Bearer ${good}` } }],
      ['a token alone', { authorization: good }],
      ['no JWT', { authorization: 'Bearer a.b.c' }],
      ['an end long past', { authorization: `Bearer ${await token('otto', ['operator'], { now: now - 7_200_000 })}` }],
      ['another audience', { authorization: `Bearer ${await token('otto', ['operator'], { audience: 'other' })}` }],
      ['a revocation', { authorization: `Bearer ${revoked}` }],
    ];
    for (const [kind, payload] of bad) {
      const socket = kept(await GraphqlSocket.open(url));
      socket.say({ type: 'connection_init', ...(payload ? { payload } : {}) });
      expect([kind, await socket.end()]).toEqual([kind, { code: 4401, reason: 'Unauthorized' }]);
      expect([kind, socket.sent]).toEqual([kind, []]);
    }
    const two = kept(await GraphqlSocket.open(url, { authorization: `Bearer ${good}` }));
    two.say({ type: 'connection_init', payload: { authorization: `Bearer ${await token('ann', ['auditor'])}` } });
    expect((await two.end()).code).toBe(4400);
  });

  it('is no longer who was let in, once the token is revoked or its holder removed: every subscription is told', async () => {
    const revoked = await token('leaving', ['operator']);
    const socket = kept(await GraphqlSocket.of(url, revoked));
    const other = await socketOf('otto', ['operator']);
    for (const one of [socket, other]) one.subscribe('1', tail());
    socket.subscribe('2', tail('(types: "SEM_PUT")'));
    await put('white');
    await until(() => socket.told('2').length > 0 && other.told('1').length > 0, 'events');
    const caller = await app.caller('leaving', ['operator']);
    expect((await caller.send('POST', '/auth/revoke', { token: revoked })).status).toBe(200);
    expect((await socket.end()).code).toBe(4401);
    for (const id of ['1', '2']) {
      const resume = expect.stringMatching(/^\d+-[a-p]{12}$/) as string;
      expect(socket.told(id).at(-1)).toMatchObject({ error_code: 'UNAUTHENTICATED', resume_after: resume });
      expect(socket.has('complete', id)).toBe(true);
    }
    expect(other.closed).toBeUndefined();
    const gone = await socketOf('gone', ['operator']);
    const revocations = app.parts.app.nest.get(RevocationList, { strict: false });
    await revocations.removePrincipal('user_gone', { id: 'local', role: 'superadmin' }, Date.now() + 1000);
    expect((await gone.end()).code).toBe(4401);
  });

  it('is told nothing more once the token has expired', async () => {
    const socket = kept(await GraphqlSocket.of(url, await token('brief', ['operator'], { ttlSeconds: 1 })));
    socket.subscribe('1', tail());
    const writing = setInterval(() => void put('grey'), 200);
    expect((await socket.end().finally(() => clearInterval(writing))).code).toBe(4401);
    expect(socket.told('1').at(-1)).toMatchObject({ __typename: 'LiveEnded', error_code: 'UNAUTHENTICATED' });
  });

  it('has so many sockets at a time and no more', async () => {
    const bearer = await token('many', ['operator']);
    const opened = await Promise.all(
      Array.from({ length: SOCKET_LIMITS.ofPrincipal }, async () => kept(await GraphqlSocket.of(url, bearer))),
    );
    expect(opened.every((one) => one.has('connection_ack'))).toBe(true);
    expect((await kept(await GraphqlSocket.of(url, bearer)).end()).code).toBe(1013);
    opened[0]!.close();
    await eventually(async () => {
      const again = kept(await GraphqlSocket.of(url, bearer));
      return again.has('connection_ack') ? true : null;
    }, 'a place');
  });
});

describe('what is sent over a socket', () => {
  /** Whoever follows each way through it never comes back. */
  const SPREAD_TWICE = `subscription { ...F0 } ${Array.from({ length: 150 }, (_, i) => `fragment F${i} on Subscription { ...F${i + 1} ...F${i + 1} }`).join(' ')}`;
  const SAID = 'my SSN is 123-45-6789';

  it.each([
    ['no JSON', 'garbage'],
    ['bytes', Buffer.from([0xff, 0x00, 0x80])],
    ['a list', '[]'],
    ['null', 'null'],
    ['no type', '{}'],
    ['an unknown type', JSON.stringify({ type: SAID })],
    ['the server’s own type', '{"type":"next","id":"1","payload":{}}'],
    ['the older protocol', '{"type":"start","id":"1","payload":{"query":"{ __typename }"}}'],
    ['no id', '{"type":"subscribe","payload":{"query":"subscription { __typename }"}}'],
    ['a number for an id', '{"type":"subscribe","id":1,"payload":{"query":"subscription { __typename }"}}'],
    ['an id that says something', JSON.stringify({ type: 'complete', id: SAID })],
    ['a personal id', '{"type":"subscribe","id":"123-45-6789","payload":{"query":"subscription { __typename }"}}'],
    ['no payload', '{"type":"subscribe","id":"1"}'],
    ['a member twice', '{"type":"subscribe","id":"1","id":"2","payload":{"query":"subscription { __typename }"}}'],
    ['a text for a payload', '{"type":"ping","payload":"x"}'],
    ['variables of another kind', '{"type":"subscribe","id":"1","payload":{"query":"x","variables":[]}}'],
    ['deep nesting', `{"type":"ping","payload":${'['.repeat(30_000)}${']'.repeat(30_000)}}`],
  ])('and is %s ends it with 4400, and nothing of it is repeated', async (_, message) => {
    const socket = await socketOf('otto', ['operator']);
    socket.say(message);
    expect(await socket.end()).toEqual({ code: 4400, reason: 'a message of graphql-transport-ws' });
    expect(socket.sent.filter(({ type }) => type !== 'connection_ack')).toEqual([]);
  });

  it('and is out of turn ends it with the code of the protocol', async () => {
    const early = kept(await GraphqlSocket.open(url));
    early.subscribe('1', tail());
    expect((await early.end()).code).toBe(4401);
    const twice = await socketOf('otto', ['operator']);
    twice.say({ type: 'connection_init' });
    expect((await twice.end()).code).toBe(4429);
    const same = await socketOf('otto', ['operator']);
    same.subscribe('secret-name', tail());
    same.subscribe('secret-name', tail());
    expect(await same.end()).toEqual({ code: 4409, reason: 'Subscriber already exists' });
    for (const protocol of ['', 'graphql-ws']) {
      const foreign = kept(await GraphqlSocket.open(url, {}, protocol));
      // A client that offered one and is given none ends it itself.
      expect([4406, 1006]).toContain((await foreign.end()).code);
    }
  });

  it('and is too large, or no frame, ends it with the code of RFC 6455', async () => {
    const large = await socketOf('otto', ['operator']);
    large.say({ type: 'ping', payload: { x: 'x'.repeat(SOCKET_LIMITS.messageBytes) } });
    expect((await large.end()).code).toBe(1009);
    const broken = await socketOf('otto', ['operator']);
    (broken.socket as unknown as { readonly _socket: { write(bytes: Buffer): void } })._socket.write(
      Buffer.alloc(64, 0xff),
    );
    expect((await broken.end()).code).toBe(1002);
  });

  it('and says nothing in time ends it', async () => {
    const socket = kept(await GraphqlSocket.open(url));
    expect((await socket.end()).code).toBe(4408);
  });

  it('holds so many subscriptions and no more, and others begin where one has ended', async () => {
    const socket = await socketOf('full', ['operator']);
    for (let i = 0; i <= SOCKET_LIMITS.subscriptions; i++) socket.subscribe(`s${i}`, tail());
    const [error] = await socket.errors(`s${SOCKET_LIMITS.subscriptions}`);
    expect(error!.extensions).toMatchObject({ error_code: 'RATE_LIMITED' });
    expect(socket.closed).toBeUndefined();
    socket.say({ type: 'complete', id: 's0' });
    socket.subscribe('again', tail('(follow: false)'));
    expect(await socket.whole('again')).toMatchObject([{ reason: 'up_to_date' }]);
  });

  it('is answered by pong, without what ping said', async () => {
    const socket = await socketOf('otto', ['operator']);
    for (let i = 0; i < 1000; i++) socket.say({ type: 'ping', payload: { said: SAID } });
    await until(() => socket.sent.filter(({ type }) => type === 'pong').length === 1000, 'pongs');
    expect(JSON.stringify(socket.sent)).not.toContain('123-45-6789');
  });

  it.each([
    ['a query', '{ jobs { __typename } }', 'a subscription'],
    ['a mutation', 'mutation { authOtpEnrol(input: {}) { __typename } }', 'a subscription'],
    ['two operations', `${tail()} query X { __typename }`, 'one operation'],
    ['two fields', `subscription { eventTail { __typename } other: eventTail { __typename } }`, 'one top level field'],
    [
      '51 aliases',
      `subscription { eventTail { ${Array.from({ length: 51 }, (_, i) => `a${i}: __typename`).join(' ')} } }`,
      'aliases',
    ],
    ['2,001 tokens', `subscription { eventTail { ${'x '.repeat(2_001)} } }`, 'tokens'],
    ['a cycle', 'subscription { eventTail { ...A } } fragment A on EventTailOutcome { ...A }', 'spread themselves'],
    ['an unknown field', 'subscription { eventTail { nothing } }', 'query:'],
    ['a depth of 16', `subscription { eventTail ${'{ x '.repeat(15)}${'}'.repeat(15)} }`, 'depth'],
    ['an argument of another type', tail('(follow: "yes")'), 'query:'],
    ['a field that is left out', 'subscription { eventTail @skip(if: true) { __typename } }', 'without @skip'],
    [
      'a field that a variable leaves out',
      'subscription S($a: Boolean = false) { eventTail @include(if: $a) { __typename } }',
      'without @skip',
    ],
    [
      'a fragment that is left out',
      'subscription { ...A } fragment A on Subscription { ... @skip(if: true) { eventTail { __typename } } }',
      'without @skip',
    ],
    ['fragments that spread each other twice', SPREAD_TWICE, 'query:'],
    ['no document', 'subscription {', 'query:'],
  ])('and subscribes with %s is refused by an error, and the socket goes on', async (_, query, why) => {
    const socket = await socketOf('otto', ['operator']);
    socket.subscribe('1', query);
    const [error] = await socket.errors('1');
    expect(error!.extensions).toMatchObject({
      error_code: 'INVALID_INPUT',
      developer_message: expect.stringContaining(why) as string,
    });
    socket.subscribe('2', tail('(follow: false)'));
    expect(await socket.whole('2')).toMatchObject([{ reason: 'up_to_date' }]);
  });
});

describe('a request for another upgrade', () => {
  const upgrading = (lines: readonly string[], body = ''): Promise<string> =>
    new Promise((done, failed) => {
      const socket = connect(port(), '127.0.0.1');
      let answer = '';
      socket.on('data', (bytes: Buffer) => (answer += bytes.toString()));
      socket.on('close', () => done(answer)).on('error', failed);
      socket.write(`${lines.join('\r\n')}\r\n\r\n${body}`);
    });

  it('is answered as if it had asked for none, with its body', async () => {
    const bearer = await token('tuff', ['user']);
    const body = JSON.stringify({ query: '{ semResolve(text: "my favourite colour") { __typename } }' });
    const answer = await upgrading(
      [
        'POST /graphql HTTP/1.1',
        'Host: x',
        `Authorization: Bearer ${bearer}`,
        'Content-Type: application/json',
        `Content-Length: ${body.length}`,
        'Connection: Upgrade, HTTP2-Settings, close',
        'Upgrade: h2c',
        'HTTP2-Settings: AAMAAABkAARAAAAAAAIAAAAA',
      ],
      body,
    );
    expect(answer).toMatch(/^HTTP\/1\.1 200 /);
    expect(answer).toContain('SemResolved');
    expect(answer).toMatch(/^signature: /im);
  });

  it.each([
    ['elsewhere', 'GET /jobs HTTP/1.1', []],
    ['by another method', 'POST /graphql HTTP/1.1', ['Content-Length: 0']],
    ['with a key that is none', 'GET /graphql HTTP/1.1', ['Sec-WebSocket-Version: 13', 'Sec-WebSocket-Key: x']],
  ] as const)('of a socket %s is refused in the envelope', async (_, line, more) => {
    const answer = await upgrading(
      [line, 'Host: x', 'Connection: Upgrade, close', 'Upgrade: websocket', ...more, '', ''].slice(0, -2),
    );
    expect(answer).toMatch(/^HTTP\/1\.1 40[14] /);
    expect(answer).toMatch(/"error_code":"(UNAUTHENTICATED|NOT_FOUND)"/);
    expect(answer).toMatch(/^signature: /im);
  });

  it('is the only way to a socket: without it there is nothing at the path', async () => {
    const status = await new Promise((done) =>
      httpRequest({ port: port(), path: '/graphql', method: 'GET' }, ({ statusCode }) => done(statusCode)).end(),
    );
    expect(status).toBe(404);
  });
});

describe('a server that stops', () => {
  it('tells each subscription where to go on, closes, and goes on there when it is back', async () => {
    const other = await JobApp.open();
    try {
      await other.parts.app.fastify.listen({ host: '127.0.0.1', port: 0 });
      const at = (): string => `http://127.0.0.1:${(other.parts.app.fastify.server.address() as AddressInfo).port}`;
      const bearer = await other.token('otto', ['operator']);
      const socket = kept(await GraphqlSocket.of(at(), bearer));
      socket.subscribe('1', tail());
      const caller = await other.caller('tuff');
      await caller.ask('1 + 1');
      await until(() => socket.told('1').length > 0, 'an event');
      await other.whileClosed(() => undefined);
      expect(await socket.end()).toEqual({ code: 1001, reason: 'the server stops' });
      const last = socket.told('1').at(-1)!;
      expect(last).toMatchObject({ error_code: 'DATA_UNAVAILABLE', reason: 'server_stopping' });
      const given = positions(socket.told('1')).map(Number);
      expect(parseInt(String(last['resume_after']), 10)).toBeGreaterThanOrEqual(Math.max(...given));
      await other.parts.app.fastify.listen({ host: '127.0.0.1', port: 0 });
      const again = kept(await GraphqlSocket.of(at(), bearer));
      again.subscribe('1', tail(`(after: "${String(last['resume_after'])}", follow: false)`));
      const rest = positions(await again.whole('1')).map(Number);
      expect(rest.every((position) => position > Math.max(...given))).toBe(true);
    } finally {
      await other.dispose();
    }
  });
});

describe('a client of the protocol', () => {
  it('follows by iteration, and completes where it stops', async () => {
    const bearer = await token('otto', ['operator']);
    const client = createClient({
      url: `${url.replace('http', 'ws')}/graphql`,
      webSocketImpl: WebSocket,
      connectionParams: { authorization: `Bearer ${bearer}` },
      retryAttempts: 0,
    });
    const found: unknown[] = [];
    for await (const { data } of client.iterate({ query: tail('(after: "0")') })) {
      found.push(data);
      if (found.length === 3) break;
    }
    const { events } = await app.parts.platform.eventStore.readAll({ after: START, limit: 3 });
    expect(found).toMatchObject(events.map(({ position }) => ({ eventTail: { position } })));
    const reader = app.parts.app.nest.get(EventTail, { strict: false });
    await until(() => reader.size === 0, 'nobody reading');
    await client.dispose();
  });
});

it('no operation is a field and a subscription under one name', () => {
  const names = [...FIELDS, ...SUBSCRIPTIONS].map(({ name }) => name);
  expect(names.filter((name, i) => names.indexOf(name) !== i)).toEqual([]);
});
