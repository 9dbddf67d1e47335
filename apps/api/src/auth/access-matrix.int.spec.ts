import { createPrivateKey, generateKeyPairSync, sign as cryptoSign } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';

import { generateSync } from 'otplib';

import {
  fixtureKeyRing,
  hasRole,
  permissionOf,
  ROLES,
  signToken,
  type Permission,
  type PermissionName,
  type Role,
  type TokenOrder,
} from '#lib/access';
import { type Json, systemSeed, traceId } from '#lib/kernel';
import { Negotiations } from '#lib/negotiation';

import { accessTable, BEGIN, END } from '../../../../test/support/access-table.js';
import { JobApp } from '../../../../test/support/job-app.js';
import { asLocal } from '../edge/local-requests.js';
import type { DeclaredRoute } from '../edge/permission.js';

/**
 * Every route that the application has, with every role, on one's own thing and on another's, and with every kind of bad
 * token. What is expected stands in libs/access/src/permissions.ts and nowhere else.
 */

type Cell = DeclaredRoute & { readonly access: PermissionName };
interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly text: string;
  readonly code: string | undefined;
  readonly why: string;
}
interface Envelope {
  readonly error_code?: string;
  readonly developer_message?: string;
  readonly status?: number;
}
interface Rpc {
  readonly error?: { readonly data: readonly [object, { readonly value: Envelope }] };
}
/** Things of one person, by the part of a path that names them. */
type Things = Readonly<Record<string, string>>;

let app: JobApp;
let cells: readonly Cell[];
let examples: ReadonlyMap<string, Json>;

beforeAll(async () => {
  app = await JobApp.open();
  cells = app.parts.app.fastify.maceRoutes.filter((route): route is Cell => route.access !== 'public');
  examples = await exampleBodies();
});
afterAll(() => app.dispose());

async function exampleBodies(): Promise<ReadonlyMap<string, Json>> {
  const { payload } = await app.parts.app.fastify.inject({ url: '/openapi.json' });
  interface Body {
    readonly content: { readonly 'application/json': { readonly example?: Json } };
  }
  const { paths } = JSON.parse(payload) as { paths: Record<string, Record<string, { requestBody?: Body }>> };
  return new Map(
    Object.entries(paths).flatMap(([path, operations]) =>
      Object.entries(operations).flatMap(([method, { requestBody }]): [string, Json][] => {
        const example = requestBody?.content['application/json'].example;
        return example === undefined
          ? []
          : [[`${method.toUpperCase()} ${path.replace(/\{([^}]+)\}/g, ':$1')}`, example]];
      }),
    ),
  );
}

const issued = new Map<string, Promise<string>>();

function tokenFor(
  user: string,
  roles: readonly Role[],
  elevated: boolean,
  more: Partial<TokenOrder> = {},
): Promise<string> {
  const order = { userId: user, roles, ttlSeconds: 3600, now: Date.now(), issuer: 'mace', audience: 'mace', ...more };
  const sign = () => signToken(fixtureKeyRing(), { ...order, ...(elevated ? { amr: ['otp'] } : {}) });
  const name = `${user} ${roles.join()} ${elevated} ${JSON.stringify(more)}`;
  if (!issued.has(name)) issued.set(name, sign());
  return issued.get(name)!;
}

const asBearer = (token: string): Record<string, string> => ({ authorization: `Bearer ${token}` });
/** As the console sends it. */
const asCookie = (token: string): Record<string, string> => ({
  cookie: `mace_session=${token}`,
  'x-mace-console': '1',
});

async function call(
  method: string,
  url: string,
  token: string | undefined,
  body?: string,
  shown = asBearer,
): Promise<Answer> {
  const { statusCode, headers, payload } = await app.parts.app.fastify.inject({
    method: method as 'GET',
    url,
    headers: {
      ...(token === undefined ? {} : shown(token)),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(body === undefined ? {} : { payload: body }),
  });
  const isJson = String(headers['content-type']).includes('json') && payload !== '';
  const answer = (isJson ? JSON.parse(payload) : {}) as Envelope & Rpc;
  // JSON-RPC answers 200, and the envelope stands in its error.
  const { error_code: code, developer_message: why = '', status = statusCode } = answer.error?.data[1].value ?? answer;
  return { status: answer.error ? status : statusCode, headers, text: payload, code, why };
}

const NO_THINGS: Things = {
  job_id: `job:${'0'.repeat(32)}`,
  log_id: '0'.repeat(64),
  id: `ar-${'0'.repeat(32)}`,
  event_id: '0'.repeat(64),
  consent_id: '0'.repeat(64),
  dsr_id: `dr-${'0'.repeat(32)}`,
  node_id: 'agent:nothing_v1',
  artifact_id: 'nothing',
  scope: 'user',
  entity_type: 'profile',
  entity_id: 'user_nobody',
  attribute: 'nothing',
};

/** Behind the door nobody's thing, so that an answer tells of the door alone. */
const NOBODYS: Things = { ...NO_THINGS, scope: 'world', entity_type: 'fact', entity_id: 'nothing' };

/** Streams that would have no end. */
const ENDLESS: ReadonlyMap<string, string> = new Map([['/events/tail', '?follow=false']]);

function pathOf(url: string, things: Things): string {
  return filled(url, things) + (ENDLESS.get(url) ?? '');
}

function filled(url: string, things: Things): string {
  return url.replace(/:([a-z_]+)/g, (_, part: string) =>
    encodeURIComponent(things[part] ?? NO_THINGS[part] ?? 'nothing'),
  );
}

/** Of MCP it says where its clients learn who gives tokens (RFC 9728). */
function challengeOf({ url }: Cell): string {
  const metadata = ', resource_metadata="http://127.0.0.1:3000/.well-known/oauth-protected-resource/mcp"';
  return `Bearer realm="mace"${url === '/mcp' ? metadata : ''}`;
}

const writes = ({ method }: DeclaredRoute): boolean => method !== 'GET' && method !== 'HEAD';
const holds = (role: Role, among: readonly Role[]): boolean =>
  among.some((one) => hasRole({ id: '', roles: [role], elevated: false }, one));

/** What the table says of a role at the door. */
function atTheDoor(role: Role, elevated: boolean, permission: Permission): 'denied' | 'factor' | 'open' {
  if (permission.localOnly || !holds(role, permission.roles)) return 'denied';
  return permission.elevated === true && !elevated ? 'factor' : 'open';
}

const CHALLENGE = 'Bearer error="insufficient_user_authentication", max_age=300';
/** What a route answers to whom it is open, where that is not 200. */
const OPEN_ANSWERS: ReadonlyMap<string, number> = new Map([
  ['PATCH /reflective-logs/:log_id', 409],
  // The jobs here offered none.
  ['POST /jobs/:job_id/review', 409],
]);
/** What a read answers where the thing is not there, or its question is missing, where that is not 404 or 200. */
const EMPTY_ANSWERS: ReadonlyMap<string, number> = new Map([
  ['/sem/:scope/:entity_type/:entity_id/:attribute', 400],
  ['/audit/consistency', 400],
  ['/sem/:scope/:entity_type/:entity_id/:attribute/history', 400],
  ['/sem/resolve', 400],
]);
const openAnswer = ({ method, url }: DeclaredRoute): number => OPEN_ANSWERS.get(`${method} ${url}`) ?? 200;
const emptyAnswer = ({ url }: DeclaredRoute): number => EMPTY_ANSWERS.get(url) ?? (url.includes(':') ? 404 : 200);
const wantsFactor = ({ status, headers }: Answer): boolean =>
  status === 401 && headers['www-authenticate'] === CHALLENGE;

/** How an answer differs from what is expected at the door; a malformed body shows that nobody looked at it before. */
function differs(route: Cell, expected: 'denied' | 'factor' | 'open', answer: Answer): boolean {
  const isHead = route.method === 'HEAD';
  if (expected === 'denied') return answer.status !== 403 || (!isHead && answer.code !== 'PERMISSION_DENIED');
  if (expected === 'factor') return !wantsFactor(answer);
  if (writes(route)) return answer.status !== 400;
  return answer.status !== emptyAnswer(route);
}

describe('the matrix of access', () => {
  it('has a row for every route, and a word on whose the things are that a route names', () => {
    expect(cells.length).toBeGreaterThan(60);
    const silent = cells.filter(({ url, access }) => url.includes(':') && permissionOf(access).things === undefined);
    expect(silent.map(({ method, url, access }) => `${method} ${url}: ${access} lacks things`)).toEqual([]);
  });

  it('opens each route to the roles of its row and to no other, before it reads a byte of the body', async () => {
    const wrong: string[] = [];
    for (const route of cells) {
      for (const role of ROLES) {
        for (const elevated of [false, true]) {
          const expected = atTheDoor(role, elevated, permissionOf(route.access));
          const token = await tokenFor(`door_${role}`, [role], elevated);
          // A browser sends HEAD and GET alike, and a cookie is elevated as its token is.
          const shownAs = elevated || route.method === 'HEAD' ? [asBearer] : [asBearer, asCookie];
          for (const shown of shownAs) {
            const path = pathOf(route.url, NOBODYS);
            const answer = await call(route.method, path, token, writes(route) ? '{' : undefined, shown);
            if (!differs(route, expected, answer)) continue;
            const who = `${role}${elevated ? ', elevated' : ''}, ${shown.name}`;
            wrong.push(`${route.method} ${route.url} as ${who}: ${expected}, but ${answer.status} ${answer.why}`);
          }
        }
      }
    }
    expect(wrong).toEqual([]);
  }, 300_000);

  it('takes a token of none of the bad kinds, anywhere', async () => {
    const bad = await badTokens();
    const wrong: string[] = [];
    for (const route of cells) {
      for (const [kind, token] of bad) {
        const answer = await call(route.method, pathOf(route.url, NOBODYS), token, writes(route) ? '{' : undefined);
        const refused =
          answer.status === 401 &&
          answer.headers['www-authenticate'] === challengeOf(route) &&
          (route.method === 'HEAD' || answer.code === 'UNAUTHENTICATED');
        if (!refused) wrong.push(`${route.method} ${route.url} with ${kind}: ${answer.status} ${answer.why}`);
      }
    }
    expect(wrong).toEqual([]);
  }, 300_000);

  it('asks for no token where the table has no row, and a bad one does not matter there', async () => {
    for (const { method, url } of app.parts.app.fastify.maceRoutes.filter(({ access }) => access === 'public')) {
      for (const token of [undefined, 'a.b.c']) {
        const { status } = await call(method, pathOf(url, {}), token);
        expect([method, url, status]).not.toEqual([method, url, 401]);
        expect([method, url, status < 500]).toEqual([method, url, true]);
      }
    }
  });

  it('lets everybody at their own things, and at another’s only whom the row names; to all others it is not there', async () => {
    const named = cells.filter(
      ({ url, access }) => url.includes(':') && typeof permissionOf(access).things === 'object',
    );
    expect(named.length).toBeGreaterThan(10);
    const unknown = named
      .flatMap(({ url }) => [...url.matchAll(/:([a-z_]+)/g)].map(([, part]) => part!))
      .filter((part) => !(part in NO_THINGS));
    expect(unknown).toEqual([]);
    const tuffs = await thingsOf('tuff', 'user');
    const wrong: string[] = [];
    for (const role of ROLES) {
      const own = await thingsOf(`own_${role}`, role);
      for (const route of named) {
        for (const elevated of [false, true]) {
          if (atTheDoor(role, elevated, permissionOf(route.access)) !== 'open') continue;
          wrong.push(
            ...(await ownCell(route, role, elevated, own)),
            ...(await othersCell(route, role, elevated, tuffs)),
          );
        }
      }
    }
    expect(wrong).toEqual([]);
  }, 300_000);
});

/** Proposed over gRPC, and so beside the routes. */
async function negotiationOf(user: string): Promise<string> {
  const caller = { rawId: user, principal: `user_${user}`, role: 'agent', seesAll: false };
  const seed = systemSeed('access-matrix', user);
  const ctx = { caller, seed, traceId: traceId(seed), key: null, now: Date.now() };
  const { artifact_id } = await app.parts.app.nest.get(Negotiations, { strict: false }).propose(ctx, {
    artifact_id: `of-${user.replace('_', '-')}`,
    artifact_type: 'CODE',
    artifact: Buffer.from('1'),
    artifact_content_type: 'text/plain',
    producer_id: user,
    requested_critics: ['nobody-else'],
    negotiation_room_id: '',
    created_at: null,
    vote_collection_timeout_s: 0,
    quorum_policy: {},
  });
  return artifact_id;
}

/** One of each thing that a person can have; made with the roles that making them needs. */
async function thingsOf(user: string, role: Role): Promise<Things> {
  const token = await tokenFor(user, [...new Set<Role>(['user', 'agent', role])], true);
  const made = ({ status, text }: Answer): Record<string, string> => {
    expect([status, text]).toEqual([200, text]);
    return JSON.parse(text) as Record<string, string>;
  };
  const send = async (method: string, url: string, body: Json) =>
    made(await call(method, url, token, JSON.stringify(body)));
  const { job_id, log_id } = await send('POST', '/jobs', { query_text: '2 + 2' });
  const { items } = JSON.parse((await call('GET', `/jobs/${job_id}/events`, token)).text) as { items: Things[] };
  await send('PUT', `/sem/user/profile/user_${user}/favorite_color`, { value: 'blue' });
  const { request_id } = await send('POST', '/actionrequest/create', examples.get('POST /actionrequest/create')!);
  const { consent_id } = await send('POST', '/consents', examples.get('POST /consents')!);
  const enrol = () => call('POST', '/local/otp/enrol', undefined, JSON.stringify({ user_id: user }));
  const { secret } = made(await asLocal(enrol));
  const identity_proof = { otp: generateSync({ secret: secret! }) };
  const { dsr_id } = await send('POST', '/dsr/request', { kind: 'export', user_id: user, identity_proof });
  return {
    job_id: job_id!,
    log_id: log_id!,
    event_id: items[0]!['event_id']!,
    id: request_id!,
    consent_id: consent_id!,
    dsr_id: dsr_id!,
    artifact_id: await negotiationOf(user),
    scope: 'user',
    entity_type: 'profile',
    entity_id: `user_${user}`,
    attribute: 'favorite_color',
  };
}

function bodyOf(route: Cell): string | undefined {
  if (!writes(route)) return undefined;
  const example = examples.get(`${route.method} ${route.url}`);
  return JSON.stringify(example ?? {});
}

const nameOf = (route: Cell, role: Role, elevated: boolean, whose: string): string =>
  `${route.method} ${route.url} as ${role}${elevated ? ', elevated' : ''}, on ${whose}`;

function ruleOf(route: Cell) {
  const permission = permissionOf(route.access);
  if (typeof permission.things !== 'object') throw new Error(`${route.access} names nobody's things`);
  return { ...permission, ...permission.things };
}

async function ownCell(route: Cell, role: Role, elevated: boolean, own: Things): Promise<string[]> {
  const token = await tokenFor(`own_${role}`, [role], elevated);
  const answer = await call(route.method, pathOf(route.url, own), token, bodyOf(route));
  const { owners, others } = ruleOf(route);
  const name = nameOf(route, role, elevated, 'one’s own');
  if (owners && !holds(role, owners)) return answer.code === others ? [] : [`${name}: ${answer.status} ${answer.why}`];
  return answer.status === openAnswer(route) ? [] : [`${name}: ${answer.status} ${answer.why}`];
}

async function othersCell(route: Cell, role: Role, elevated: boolean, tuffs: Things): Promise<string[]> {
  const token = await tokenFor(`other_${role}`, [role], elevated);
  const there = await call(route.method, pathOf(route.url, tuffs), token, bodyOf(route));
  const rule = ruleOf(route);
  const name = nameOf(route, role, elevated, 'another’s');
  if (holds(role, rule.except)) {
    const asksForFactor = rule.elevated === 'conditional' && !elevated && wantsFactor(there);
    return there.status === openAnswer(route) || asksForFactor ? [] : [`${name}: ${there.status} ${there.why}`];
  }
  const status = rule.others === 'NOT_FOUND' ? 404 : 403;
  if (there.status !== status || (route.method !== 'HEAD' && there.code !== rule.others)) {
    return [`${name}: ${there.status} ${there.why}`];
  }
  const missing = missingLike(tuffs);
  const notThere = await call(route.method, pathOf(route.url, missing), token, bodyOf(route));
  const [one, other] = [seenBy(there, tuffs), seenBy(notThere, missing)];
  return one === other ? [] : [`${name}: tells that it is there: ${one} is not ${other}`];
}

/** Names of the same form and length that nothing has. */
function missingLike(things: Things): Things {
  const turned = (text: string): string => text.replace(/[0-9a-f]{32,}$/, (hex) => '0'.repeat(hex.length));
  return Object.fromEntries(
    Object.entries(things).map(([part, name]) => [part, part === 'attribute' ? 'favorite_sound' : turned(name)]),
  );
}

/** What of an answer a stranger can compare: everything but the names that were asked for, times and traces. */
function seenBy({ status, headers, text }: Answer, things: Things): string {
  const volatile = /"(?:trace_id|query_id|timestamp)":"[^"]*"/g;
  const ids = Object.entries(things).flatMap(([part, name]) => (/(?:^|_)id$/.test(part) ? [name] : []));
  const body = ids.reduce((all, id) => all.replaceAll(id, '(id)'), text.replace(volatile, ''));
  const kept = Object.entries(headers).filter(
    ([name]) => !['x-trace-id', 'date', 'content-digest', 'signature', 'signature-input'].includes(name),
  );
  return JSON.stringify([status, kept.sort(), body]);
}

async function badTokens(): Promise<readonly (readonly [string, string | undefined])[]> {
  const now = Date.now();
  const good = await tokenFor('bad', ['superadmin'], true);
  const [header, body, signature] = good.split('.') as [string, string, string];
  const encode = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');
  const decoded = (part: string): object => JSON.parse(Buffer.from(part, 'base64url').toString()) as object;
  const signed = (head: object, claims: object, key = ringKey()): string => {
    const text = `${encode(head)}.${encode(claims)}`;
    return `${text}.${cryptoSign(null, Buffer.from(text), key).toString('base64url')}`;
  };
  const variant = (more: Partial<TokenOrder>) => tokenFor('bad', ['superadmin'], true, more);
  const changed = (claims: object): string => signed(decoded(header), { ...decoded(body), ...claims });
  const revoked = await tokenFor('revoked', ['superadmin'], true);
  const removed = await tokenFor('removed', ['superadmin'], true, { now: now - 2000 });
  expect((await call('GET', '/jobs', revoked)).status).toBe(200);
  expect((await call('GET', '/jobs', removed)).status).toBe(200);
  expect((await call('POST', '/auth/revoke', revoked, JSON.stringify({ token: revoked }))).status).toBe(200);
  const removal = () => call('POST', '/local/principals/remove', undefined, '{"user_id":"removed"}');
  expect((await asLocal(removal)).status).toBe(200);
  return [
    ['no token', undefined],
    ['no JWT', 'a.b.c'],
    ['alg none', `${encode({ ...decoded(header), alg: 'none' })}.${body}.`],
    ['alg HS256', signed({ ...decoded(header), alg: 'HS256' }, decoded(body))],
    ['another key', signed(decoded(header), decoded(body), generateKeyPairSync('ed25519').privateKey)],
    ['an unknown key', signed({ ...decoded(header), kid: 'token-signature.9' }, decoded(body))],
    ['a changed body', `${header}.${encode({ ...decoded(body), sub: 'ada' })}.${signature}`],
    ['an end long past', await variant({ now: now - 7_200_000 })],
    ['a beginning to come', await variant({ now: now + 600_000 })],
    ['another audience', await variant({ audience: 'other' })],
    ['another issuer', await variant({ issuer: 'other' })],
    ['an unknown role', changed({ roles: ['root'] })],
    ['no roles', changed({ roles: [] })],
    ['no jti', changed({ jti: undefined })],
    ['no end', changed({ exp: undefined })],
    ['a revocation', revoked],
    ['a holder who was removed', removed],
  ];
}

function ringKey() {
  const { secret } = fixtureKeyRing().active('token-signature');
  return createPrivateKey({ key: secret, format: 'der', type: 'pkcs8' });
}

describe('docs/access.md', () => {
  it('shows the table and the routes as they are (WRITE_ACCESS_TABLE=1 writes them)', () => {
    const text = readFileSync('docs/access.md', 'utf8');
    const [before, after] = [text.slice(0, text.indexOf(BEGIN)), text.slice(text.indexOf(END) + END.length)];
    const expected = before + accessTable(app.parts.app.fastify.maceRoutes) + after;
    if (process.env['WRITE_ACCESS_TABLE'] !== undefined) writeFileSync('docs/access.md', expected);
    expect(readFileSync('docs/access.md', 'utf8')).toBe(expected);
  });
});
