import type { AddressInfo } from 'node:net';

import { fixtureKeyRing, type Role, RevocationList, signToken } from '#lib/access';
import type { AuditEvent } from '#lib/audit';
import { positionOf } from '#lib/event-store';
import { Negotiations } from '#lib/negotiation';
import { systemSeed, traceId } from '#lib/kernel';

import { eventually, until } from '../../../../test/support/eventually.js';
import { JobApp } from '../../../../test/support/job-app.js';
import { changeRoomPolicy } from '../../../../test/support/policies.js';
import { SseReader } from '../../../../test/support/sse-reader.js';
import { EventTail } from './event-tail.js';
import { LogPlaces } from './log-places.js';

let app: JobApp;
let url: string;
const readers: SseReader[] = [];

beforeAll(async () => {
  app = await JobApp.open();
  await app.parts.app.fastify.listen({ host: '127.0.0.1', port: 0 });
  url = `http://127.0.0.1:${(app.parts.app.fastify.server.address() as AddressInfo).port}`;
});
afterEach(() => {
  for (const reader of readers.splice(0)) reader.close();
});
afterAll(() => app.dispose());

function token(userId: string, roles: readonly Role[], ttlSeconds = 3600): Promise<string> {
  const names = { issuer: 'mace', audience: 'mace' };
  return signToken(fixtureKeyRing(), { ...names, userId, roles, ttlSeconds, now: Date.now() });
}

async function follow(bearer: string, query = '', headers: Record<string, string> = {}): Promise<SseReader> {
  const reader = await SseReader.open(`${url}/events/tail${query}`, { authorization: `Bearer ${bearer}`, ...headers });
  readers.push(reader);
  return reader;
}

async function put(value: string, owner = 'tuff'): Promise<void> {
  const caller = await app.caller(owner);
  const { status } = await caller.send('PUT', `/sem/user/profile/user_${owner}/favorite_color`, { value });
  expect(status).toBe(200);
}

const shownBy = ({ events }: SseReader): AuditEvent[] =>
  events.filter(({ event }) => event === 'message').map(({ data }) => JSON.parse(data) as AuditEvent);

/** The position that an id names. */
const placeOf = (id: string): string => id.replace(/-[a-p]{12}$/, '');

it('sends what comes, without what was said, under ids that are positions of this log', async () => {
  const auditor = await follow(await token('ann', ['auditor']));
  expect(auditor.status).toBe(200);
  expect(auditor.head).toMatch(/content-type: text\/event-stream\r\n/i);
  expect(auditor.head).toMatch(/cache-control: no-store, no-transform/i);
  expect(auditor.head).toMatch(/x-trace-id: /i);
  expect(auditor.head).not.toMatch(/^(signature|content-digest|content-encoding):/im);
  await put('chartreuse');
  await auditor.until(1);
  const event = await eventually(() => shownBy(auditor).find(({ type }) => type === 'SEM_PUT'));
  expect(event).toMatchObject({ redacted: true, data: { value: '[redacted]' } });
  expect(JSON.stringify(auditor.events)).not.toContain('chartreuse');
  for (const { id, data } of auditor.events) expect((JSON.parse(data) as AuditEvent).position).toBe(placeOf(id));
  expect(new Set(auditor.events.map(({ id }) => /-[a-p]{12}$/.exec(id)?.[0])).size).toBe(1);
  const list = await (
    await app.caller('ann', ['auditor'])
  ).get<{ items: AuditEvent[] }>(`/audit/events?from=${event.position}`);
  expect(list.body.items).toContainEqual(event);
});

it('goes on exactly after Last-Event-ID, by the header before the query, and tells a new reader where it is', async () => {
  const bearer = await token('otto', ['operator']);
  const first = await follow(bearer);
  const start = first.lastId;
  expect(placeOf(start)).toBe(await app.parts.platform.eventStore.head());
  first.close();
  await put('red');
  await put('green');
  const { events } = await app.parts.platform.eventStore.readAll({ after: positionOf(placeOf(start)), limit: 1000 });
  const all: readonly string[] = events.map(({ position }) => position);
  const missed = all.length;
  const again = await follow(bearer, '?last_event_id=1', { 'last-event-id': start });
  expect((await again.until(missed)).slice(0, missed).map(placeOf)).toEqual(all);
  const byQuery = await follow(bearer, `?last_event_id=${all[0]}&follow=false`);
  expect(await byQuery.end()).toMatchObject({ event: 'closed', data: expect.stringContaining('up_to_date') as string });
  expect(byQuery.ids.slice(0, missed - 1).map(placeOf)).toEqual(all.slice(1));
});

it('sends only the types and the stream that are asked for', async () => {
  const bearer = await token('ann', ['auditor']);
  const types = await follow(bearer, '?types=SEM_PUT,DSR_REQUEST&last_event_id=0&follow=false');
  await types.end();
  expect(new Set(shownBy(types).map(({ type }) => type))).toEqual(new Set(['SEM_PUT']));
  const { stream } = shownBy(types)[0]!;
  const one = await follow(bearer, `?stream=${encodeURIComponent(stream)}&last_event_id=0&follow=false`);
  await one.end();
  expect(new Set(shownBy(one).map((event) => event.stream))).toEqual(new Set([stream]));
});

it('refuses the id of another log whose position this one has too, by the header and by the query', async () => {
  const bearer = await token('ann', ['auditor']);
  const own = await follow(bearer, '?last_event_id=0&follow=false');
  await own.end();
  const [id] = own.ids;
  const other = new LogPlaces('another log').idOf(placeOf(id!));
  expect(other).not.toBe(id);
  for (const reader of [
    await follow(bearer, '', { 'last-event-id': other }),
    await follow(bearer, `?last_event_id=${other}`),
  ]) {
    await eventually(() => (reader.rest.endsWith('}') ? true : null));
    expect([reader.status, JSON.parse(reader.rest)]).toMatchObject([
      400,
      { error_code: 'INVALID_INPUT', developer_message: expect.stringContaining('of another log') as string },
    ]);
  }
  for (const mine of [id!, placeOf(id!)]) {
    const reader = await follow(bearer, `?last_event_id=${mine}&follow=false`);
    expect((await reader.end())!.data).toContain('up_to_date');
    expect(reader.ids).toEqual(own.ids.slice(1, 1 + reader.ids.length));
  }
});

it.each(['abc', '99999999', '-1', '1, 2', '', '1-abc', '1-ABKDNCPOFAGH', '1-'])(
  'refuses Last-Event-ID %p in the envelope',
  async (id) => {
    const reader = await follow(await token('ann', ['auditor']), '', { 'last-event-id': id });
    await eventually(() => (reader.rest.endsWith('}') ? true : null));
    expect(reader.status).toBe(400);
    expect(JSON.parse(reader.rest)).toMatchObject({
      error_code: 'INVALID_INPUT',
      developer_message: expect.stringContaining('Last-Event-ID') as string,
    });
    expect(reader.head).toMatch(/^signature:/im);
  },
);

it.each(['?types=', '?types=a,,b', '?types=a b', '?follow=maybe', '?unredacted=true'])(
  'refuses the query %p',
  async (query) => {
    const reader = await follow(await token('ann', ['auditor']), query);
    expect(reader.status).toBe(400);
  },
);

it('refuses a type that no event has, of which a reader would wait in vain, and names the one that was meant', async () => {
  const refusal = async (types: string) => {
    const reader = await follow(await token('ann', ['auditor']), `?types=${types}`);
    return [reader.status, (JSON.parse(reader.rest) as { developer_message?: string }).developer_message];
  };
  expect(await refusal('JOB_SEALED,sem_put')).toEqual([400, 'query.types.1: a type of event, such as SEM_PUT']);
  expect(await refusal('NOTHING')).toEqual([400, 'query.types.0: a type of event, such as SEM_PUT']);
});

it('gives an agent the negotiations that ask it alone, without a word of their votes', async () => {
  const agent = await follow(await token('mia', ['agent']));
  await put('blue');
  await propose('asks-others', ['bob']);
  await propose('asks-mia', ['mia', 'bob']);
  await agent.until(1);
  await put('brown');
  const again = await follow(await token('mia', ['agent']), '?last_event_id=0&follow=false');
  await again.end();
  expect(shownBy(again).map(({ stream, type }) => [stream, type])).toEqual([
    ['negotiation-asks-mia', 'NEGOTIATION_PROPOSED'],
  ]);
  expect(shownBy(agent)).toEqual(shownBy(again));
});

it('gives a senior critic the negotiation from where it asks for it, also of a type that comes later', async () => {
  await changeRoomPolicy(app, { escalation: ['sue'] });
  await propose('asks-sue-later', ['kim'], 1);
  const sue = await token('sue', ['agent']);
  const agent = await follow(sue);
  await agent.until(3);
  const again = await follow(sue, '?last_event_id=0&follow=false');
  await again.end();
  expect(shownBy(again).map(({ type }) => type)).toEqual([
    'SENIOR_CRITICS_ASKED',
    'VOTE_WINDOW_CLOSED',
    'NEGOTIATION_DECIDED',
  ]);
  expect(shownBy(agent)).toEqual(shownBy(again));
  const later = await follow(sue, '?last_event_id=0&follow=false&types=NEGOTIATION_DECIDED');
  await later.end();
  expect(shownBy(later).map(({ type }) => type)).toEqual(['NEGOTIATION_DECIDED']);
  await changeRoomPolicy(app, { escalation: null });
});

async function propose(artifact_id: string, requested_critics: readonly string[], seconds = 0): Promise<void> {
  const caller = { rawId: 'paul', principal: 'user_paul', role: 'agent', seesAll: false };
  const seed = systemSeed('tail', artifact_id);
  const ctx = { caller, seed, traceId: traceId(seed), key: null, now: Date.now() };
  await app.parts.app.nest.get(Negotiations, { strict: false }).propose(ctx, {
    artifact_id,
    artifact_type: 'CODE',
    artifact: Buffer.from('1'),
    artifact_content_type: 'text/plain',
    producer_id: 'paul',
    requested_critics,
    negotiation_room_id: '',
    created_at: null,
    vote_collection_timeout_s: seconds,
    quorum_policy: {},
  });
}

it('ends a stream whose token is revoked, and says so', async () => {
  const bearer = await token('otto', ['operator']);
  const other = await follow(await token('ann', ['auditor']));
  const reader = await follow(bearer);
  const caller = await app.caller('otto', ['operator']);
  expect((await caller.send('POST', '/auth/revoke', { token: bearer })).status).toBe(200);
  const last = await reader.end();
  expect(last).toMatchObject({ event: 'closed' });
  expect(JSON.parse(last!.data)).toMatchObject({
    error_code: 'UNAUTHENTICATED',
    reason: expect.stringContaining('revoked') as string,
    resume_after: expect.stringMatching(/^\d+-[a-p]{12}$/) as string,
  });
  await put('white');
  await other.until(1);
  expect(other.isEnded).toBe(false);
});

it('ends a stream whose holder is removed', async () => {
  const reader = await follow(await token('gone', ['operator']));
  const revocations = app.parts.app.nest.get(RevocationList, { strict: false });
  // A token holds where it was issued after the removal.
  await revocations.removePrincipal('user_gone', { id: 'local', role: 'superadmin' }, Date.now() + 1000);
  expect(await reader.end()).toMatchObject({ event: 'closed' });
});

it('sends nothing more once a token has expired', async () => {
  const reader = await follow(await token('brief', ['operator'], 1));
  const writing = setInterval(() => void put('grey'), 200);
  const last = await reader.end().finally(() => clearInterval(writing));
  expect(JSON.parse(last!.data)).toMatchObject({ error_code: 'UNAUTHENTICATED' });
  expect(last!.data).toContain('expired');
});

it('gives the place of a reader back when its connection goes', async () => {
  const tail = app.parts.app.nest.get(EventTail, { strict: false });
  await until(() => tail.size === 0, 'nobody reading');
  const reader = await follow(await token('ann', ['auditor']));
  expect(tail.size).toBe(1);
  reader.close();
  await until(() => tail.size === 0, 'the place');
});

it('answers HEAD with the headers of the stream, and no stream', async () => {
  const bearer = await token('ann', ['auditor']);
  const response = await fetch(`${url}/events/tail`, {
    method: 'HEAD',
    headers: { authorization: `Bearer ${bearer}` },
  });
  expect([response.status, response.headers.get('content-type')]).toEqual([200, 'text/event-stream']);
  expect(app.parts.app.nest.get(EventTail, { strict: false }).size).toBe(0);
});

async function watch(user: string, roles: readonly Role[], jobId: string, after?: string): Promise<SseReader> {
  const headers = { authorization: `Bearer ${await token(user, roles)}`, ...(after && { 'last-event-id': after }) };
  const reader = await SseReader.open(`${url}/jobs/${jobId}/progress`, headers);
  readers.push(reader);
  return reader;
}

it('shows a job’s stages to its owner and to operators, with nothing that was said, and ends with the job', async () => {
  const owner = await app.caller('tuff');
  const asked = await owner.send('POST', '/jobs', { query_text: '6 * 7' }, { prefer: 'respond-async' });
  const jobId = asked.body.job_id;
  const watched = await Promise.all([watch('tuff', ['user'], jobId), watch('otto', ['operator'], jobId)]);
  for (const reader of watched) {
    expect(JSON.parse((await reader.end())!.data)).toMatchObject({ reason: 'job_ended' });
    const steps = reader.events.filter(({ event }) => event === 'progress');
    const shown = steps.map(({ data }) => JSON.parse(data) as { stage: string; ended: boolean; revision: number });
    expect(shown.map(({ revision }) => revision)).toEqual(shown.map((_, i) => i));
    expect([shown[0]!.stage, shown.at(-1)!.stage]).toEqual(['JOB_ACCEPTED', 'JOB_SEALED']);
    expect(shown.map(({ ended }) => ended)).toEqual(shown.map((_, i) => i === shown.length - 1));
    expect(JSON.stringify(steps)).not.toContain('6 * 7');
    const rest = await watch('tuff', ['user'], jobId, steps[1]!.id);
    await rest.end();
    expect(rest.events.filter(({ event }) => event === 'progress')).toEqual(steps.slice(2));
  }
  const another = await watch('bob', ['user'], jobId);
  expect(another.status).toBe(404);
});

it('refuses a principal’s next reader beyond its limit with 429 and Retry-After', async () => {
  const bearer = await token('many', ['operator']);
  const opened = await Promise.all(Array.from({ length: 32 }, () => follow(bearer)));
  expect(opened.every(({ status }) => status === 200)).toBe(true);
  const refused = await follow(bearer);
  expect(refused.status).toBe(429);
  expect(refused.head).toMatch(/^retry-after: \d+$/im);
});
