import { exportedTraceId } from '#lib/tracing';

import { KeptSpans } from '../../../../libs/tracing/src/testing/kept-spans.js';
import { CANARIES, CANARY_TEXT, SECRET_WORD, showing } from '../../../../test/support/canaries.js';
import { until } from '../../../../test/support/eventually.js';
import { type Caller, JobApp } from '../../../../test/support/job-app.js';

jest.setTimeout(120_000);

type Span = ReturnType<KeptSpans['all']>[number];

let spans: KeptSpans;
let app: JobApp;
let tuff: Caller;
let auditor: Caller;

beforeAll(async () => {
  spans = new KeptSpans();
  app = await JobApp.open();
  tuff = await app.caller('tuff');
  auditor = await app.caller('ada', ['auditor']);
});
beforeEach(() => spans.clear());
afterAll(async () => {
  await app.dispose();
  await spans.end();
});

const idsOf = (span: Span) => ({ trace: span.spanContext().traceId, parent: span.parentSpanContext?.spanId });
const only = (name: string): Span => {
  const [span, ...more] = spans.named(name);
  expect([name, span && 'one', more.length]).toEqual([name, 'one', 0]);
  return span!;
};

const KEY = 'user/profile/user_tuff/favorite_color';

describe('spans of a request', () => {
  it('have the trace id that the answer names and its events hold, request above command above append', async () => {
    const { headers, body } = await tuff.send('PUT', `/sem/${KEY}`, { value: 'blue' });
    const [request, command, append] = [
      only('PUT /sem/:scope/:entity_type/:entity_id/:attribute'),
      only('command PutValue'),
    ].concat(spans.named('append').filter((span) => span.attributes['mace.stream.category'] === 'sem'));
    const trace = exportedTraceId(String(headers['x-trace-id']));
    expect(idsOf(request!)).toEqual({ trace, parent: undefined });
    expect(idsOf(command!)).toEqual({ trace, parent: request!.spanContext().spanId });
    expect(idsOf(append!)).toEqual({ trace, parent: command!.spanContext().spanId });
    const [event] = (await app.stream(`sem-${KEY}`)).slice(-1);
    expect(event!.metadata.trace_id).toBe(headers['x-trace-id']);
    expect(append!.attributes).toMatchObject({
      'mace.trace_id': headers['x-trace-id'],
      'mace.event.first_id': (body as unknown as { event_id: string }).event_id,
      'mace.append.outcome': 'appended',
    });
  });

  it('have the trace id of 32 digits that the caller named, and none of a traceparent', async () => {
    const given = '4bf92f3577b34da6a3ce929d0e0e4736';
    await tuff.get(`/sem/${KEY}`, {
      'x-trace-id': given,
      traceparent: '00-11111111111111111111111111111111-2222222222222222-01',
    });
    const request = only('GET /sem/:scope/:entity_type/:entity_id/:attribute');
    expect(idsOf(request)).toEqual({ trace: given, parent: undefined });
    expect(JSON.stringify([request.attributes, request.links])).not.toMatch(/1111|2222/);
  });

  it('are there for one that is refused, with its status and nothing of its path', async () => {
    const { status, headers } = await tuff.get('/projections');
    expect(status).toBe(403);
    const request = only('GET /projections');
    expect(idsOf(request).trace).toBe(exportedTraceId(String(headers['x-trace-id'])));
    expect(request.attributes).toMatchObject({ 'http.response.status_code': 403 });
    await tuff.get('/no/such/place');
    expect(only('GET none').attributes).toMatchObject({ 'http.response.status_code': 404, 'http.route': 'none' });
  });

  it('are not made for who watches over the process', async () => {
    await tuff.get('/health/live');
    expect(spans.all().filter(({ name }) => name.startsWith('GET'))).toEqual([]);
  });
});

describe('spans of a job', () => {
  it('are in the trace of its events, with a link to the request that it was begun in', async () => {
    const { body } = await tuff.ask('12.5% of 80', { job_seed: 'a-traced-job' });
    const job = only('job');
    const request = only('POST /jobs');
    const trace = exportedTraceId(body.trace_id);
    expect(idsOf(job)).toEqual({ trace, parent: undefined });
    expect(job.links.map(({ context }) => context.traceId)).toEqual([request.spanContext().traceId]);
    expect(job.attributes).toMatchObject({ 'mace.job.id': body.job_id, 'mace.trace_id': body.trace_id });
    const agent = only('agent math_agent');
    expect(idsOf(agent)).toEqual({ trace, parent: job.spanContext().spanId });
    expect(agent.attributes).toMatchObject({ 'mace.agent.outcome': 'answer' });
    const appends = spans.named('append').filter((span) => span.attributes['mace.stream.category'] === 'job');
    expect(appends.map((span) => idsOf(span).trace)).toEqual(appends.map(() => trace));
    expect(appends).not.toEqual([]);
  });

  it('are followed by those of the projections that take its events, in traces of their own', async () => {
    const { body } = await tuff.ask('7 * 6');
    await until(() => spans.named('project jobs').length > 0);
    const [batch] = spans.named('project jobs');
    expect(batch!.parentSpanContext).toBeUndefined();
    expect(idsOf(batch!).trace).not.toBe(exportedTraceId(body.trace_id));
    expect(batch!.attributes).toMatchObject({ 'mace.projection': 'jobs' });
    expect(batch!.attributes['mace.projection.changes']).toBeGreaterThan(0);
  });

  it('are followed by that of its replay, within the request for it', async () => {
    const { body } = await tuff.ask('9 * 9');
    await auditor.send('POST', '/replay/request', { job_id: body.job_id, mode: 'audit' });
    const replay = only('replay audit');
    expect(replay.spanContext().traceId).toBe(only('POST /replay/request').spanContext().traceId);
    expect(replay.attributes).toMatchObject({ 'mace.job.id': body.job_id, 'mace.replay.verdict': 'MATCH' });
  });
});

describe('what a span says', () => {
  it('is nothing that somebody typed, whatever of a request it is typed into', async () => {
    const values = [...Object.values(CANARIES), SECRET_WORD];
    for (const text of [CANARY_TEXT, `remember that my motto is ${SECRET_WORD}`]) {
      await tuff.ask(text, { job_seed: `job-${text.length}` });
      await tuff.send('PUT', `/sem/user/profile/user_tuff/motto`, { value: text, notes: text });
      await tuff.send('POST', '/pii/detect_and_handle', { text });
      await tuff.get(`/sem/resolve?text=${encodeURIComponent(text)}`, { 'x-trace-id': 'a-trace.of-mine_1' });
    }
    for (const value of values) {
      await tuff.get(`/sem/user/profile/${encodeURIComponent(value)}/motto`, {
        'user-agent': value,
        traceparent: value,
      });
      await tuff.get(`/jobs/${encodeURIComponent(value)}?cursor=${encodeURIComponent(value)}`, {
        // Whatever has its form and is known for nothing personal is kept, as the caller asked.
        ...(value === SECRET_WORD ? {} : { 'x-trace-id': value }),
      });
    }
    const told = spans.all().map((span) => ({
      ...{ name: span.name, attributes: span.attributes, links: span.links, events: span.events },
      ...{ status: span.status, resource: span.resource.attributes, context: span.spanContext() },
    }));
    expect(told.length).toBeGreaterThan(20);
    expect(showing(Buffer.from(JSON.stringify(told)), values)).toEqual([]);
  });
});
