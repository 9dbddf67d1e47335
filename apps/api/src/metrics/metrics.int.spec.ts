import { readFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { isDeepStrictEqual } from 'node:util';

import { StoreUnavailableError } from '#lib/event-store';
import { ProjectionHost } from '#lib/projections';

import { until } from '../../../../test/support/eventually.js';
import { JobApp } from '../../../../test/support/job-app.js';
import { SseReader } from '../../../../test/support/sse-reader.js';
import { GraphqlSocket } from '../graphql/testing/socket.js';
import { Metrics } from './metrics.js';
import { MetricsPortError, type MetricsServer, serveMetrics } from './metrics-server.js';

/** The value of each series, by its whole name with its labels. */
async function scrape(app: JobApp): Promise<ReadonlyMap<string, number>> {
  const { statusCode, payload, headers } = await app.parts.app.fastify.inject({ method: 'GET', url: '/metrics' });
  expect([statusCode, headers['content-type']]).toEqual([200, 'text/plain; version=0.0.4; charset=utf-8']);
  return seriesOf(payload);
}

function seriesOf(text: string): ReadonlyMap<string, number> {
  const lines = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  return new Map(
    lines.map((line) => [line.slice(0, line.lastIndexOf(' ')), Number(line.slice(line.lastIndexOf(' ')))]),
  );
}

const requests = (method: string, route: string, status: string): string =>
  `mace_http_request_duration_seconds_count{method="${method}",route="${route}",status_class="${status}"}`;

describe('GET /metrics', () => {
  let app: JobApp;
  beforeAll(async () => {
    app = await JobApp.open();
  });
  afterAll(() => app.dispose());

  it('has each of its own figures in docs/operations.md with its kind, and those alone', async () => {
    const { payload } = await app.parts.app.fastify.inject({ method: 'GET', url: '/metrics' });
    const told = [...payload.matchAll(/^# TYPE ((?:mace|sw4rm|router)_\w+) (\w+)$/gm)].map(
      ([, name, kind]) => `${name} ${kind}`,
    );
    const page = readFileSync('docs/operations.md', 'utf8');
    const rows = [...page.matchAll(/^\| `((?:mace|sw4rm|router)_\w+)` \| (\w+) \|.*\| \S.* \|$/gm)].map(
      ([, name, kind]) => `${name} ${kind}`,
    );
    expect(rows.sort()).toEqual(told.sort());
  });

  it('counts requests by the patterns of their routes, and names no path, person or id', async () => {
    const tuff = await app.caller('tuff');
    const ask = await tuff.ask('6 * 7');
    const jobId = ask.body.job_id;
    expect((await tuff.get(`/jobs/${jobId}`)).status).toBe(200);
    await app.parts.app.fastify.inject({ method: 'GET', url: '/nowhere/tuff' });
    const series = await scrape(app);
    expect(series.get(requests('POST', '/jobs', '2xx'))).toBe(1);
    expect(series.get(requests('GET', '/jobs/:job_id', '2xx'))).toBe(1);
    expect(series.get(requests('GET', 'none', '4xx'))).toBe(1);
    const names = [...series.keys()].join('\n');
    for (const unnamed of ['tuff', jobId, ask.body.log_id, 'nowhere']) expect(names).not.toContain(unnamed);
  });

  it('counts a job once, by how it ended and who answered', async () => {
    const before = await scrape(app);
    const tuff = await app.caller('tuff');
    const one = await tuff.ask('7 * 8');
    expect(one.body.status).toBe('completed');
    const after = await scrape(app);
    const grown = [...after].filter(([name, value]) => value !== (before.get(name) ?? 0)).map(([name]) => name);
    const agent = 'mace_jobs_ended_total{status="completed",agent="math_agent"}';
    expect((after.get(agent) ?? 0) - (before.get(agent) ?? 0)).toBe(1);
    expect(grown).toEqual(
      expect.arrayContaining([
        'mace_events_appended_total{type="JOB_ACCEPTED"}',
        'mace_events_appended_total{type="REFLECTIVE_LOG_WRITTEN"}',
        'mace_appends_total{outcome="appended"}',
        'mace_append_duration_seconds_count',
      ]),
    );
  });

  it('counts each query that fell to the generic agent, and none that an agent of its own or nobody took', async () => {
    const counted = async (): Promise<number> => (await scrape(app)).get('router_fallback_count') ?? NaN;
    const tuff = await app.caller('tuff');
    const before = await counted();
    await tuff.ask('6 * 9');
    for (const path of ['/router/route', '/router/decide'])
      await tuff.send('POST', path, { query_text: "What is Ohm's law?" });
    expect((await counted()) - before).toBe(0);
    await tuff.ask('hmm');
    expect((await counted()) - before).toBe(1);
    for (const path of ['/router/route', '/router/decide']) await tuff.send('POST', path, { query_text: 'hmm' });
    expect((await counted()) - before).toBe(3);
    const { body } = await tuff.send('POST', '/router/route', { query_text: 'My SSN is 123-45-6789' });
    expect(body).toMatchObject({ error_code: 'PRIVACY_BLOCKED' });
    expect((await counted()) - before).toBe(3);
  });

  it('counts a write once: its event, and the command that asked for it', async () => {
    const before = await scrape(app);
    await (await app.caller('tuff')).send('PUT', '/sem/user/profile/user_tuff/favorite_color', { value: 'blue' });
    const after = await scrape(app);
    for (const name of ['mace_events_appended_total{type="SEM_PUT"}', 'mace_commands_total{command="PutValue"}'])
      expect([name, (after.get(name) ?? 0) - (before.get(name) ?? 0)]).toEqual([name, 1]);
  });

  it('counts answers to strangers, and what somebody may not do', async () => {
    const before = await scrape(app);
    await app.parts.app.fastify.inject({ method: 'GET', url: '/jobs' });
    expect((await (await app.caller('tuff')).get('/incidents')).status).toBe(403);
    const after = await scrape(app);
    for (const name of ['mace_refused_log_ins_total', 'mace_permission_denials_total'])
      expect((after.get(name) ?? 0) - (before.get(name) ?? 0)).toBe(1);
  });

  it('says how many follow something live, by how they do, until they leave', async () => {
    const { fastify } = app.parts.app;
    await fastify.listen({ host: '127.0.0.1', port: 0 });
    const url = `http://127.0.0.1:${(fastify.server.address() as AddressInfo).port}`;
    const readers = async (): Promise<readonly (number | undefined)[]> => {
      const series = await scrape(app);
      return ['sse', 'websocket', 'subscription'].map((kind) => series.get(`mace_live_readers{kind="${kind}"}`));
    };
    expect(await readers()).toEqual([0, 0, 0]);
    const auditor = await app.token('audra', ['auditor']);
    const streams = await Promise.all(
      [1, 2, 3].map(() => SseReader.open(`${url}/events/tail`, { authorization: `Bearer ${auditor}` })),
    );
    const socket = await GraphqlSocket.of(url, auditor);
    for (const id of ['1', '2']) socket.subscribe(id, 'subscription { eventTail { __typename } }');
    await until(async () => isDeepStrictEqual(await readers(), [3, 1, 2]), 'every reader');
    socket.say({ type: 'complete', id: '1' });
    streams[0]!.close();
    await until(async () => isDeepStrictEqual(await readers(), [2, 1, 1]), 'those who stay');
    socket.close();
    for (const stream of streams) stream.close();
    await until(async () => isDeepStrictEqual(await readers(), [0, 0, 0]), 'nobody');
  });

  it('says how far each projection is, and in which state', async () => {
    const host = app.parts.app.nest.get(ProjectionHost);
    const listed = (await host.list()).map((one) => ({ ...one, lag: { events: 7, seconds: 2.5 }, parked: 3 }));
    const list = jest.spyOn(host, 'list').mockResolvedValue(listed);
    const series = await scrape(app);
    list.mockRestore();
    expect(listed.length).toBeGreaterThan(0);
    for (const { name } of listed) {
      const of = (metric: string) => series.get(`mace_projection_${metric}{projection="${name}"}`);
      expect([name, of('lag_events'), of('lag_seconds'), of('parked_events')]).toEqual([name, 7, 2.5, 3]);
      const states = [...series].filter(([one]) => one.startsWith(`mace_projection_state{projection="${name}"`));
      expect(states.reduce((sum, [, value]) => sum + value, 0)).toBe(1);
    }
  });

  it('says how the log, the disk and the process are', async () => {
    const series = await scrape(app);
    expect(series.get('mace_log_leaves')).toBeGreaterThan(0);
    expect(series.get('mace_checkpoint_age_seconds')).toBeGreaterThanOrEqual(0);
    expect([series.get('mace_appendable'), series.get('mace_waiting_events')]).toEqual([1, 0]);
    expect(series.get('mace_data_folder_free_bytes')).toBeGreaterThan(0);
    expect(series.get('process_resident_memory_bytes')).toBeGreaterThan(0);
    expect(series.has('nodejs_eventloop_lag_p99_seconds')).toBe(true);
  });

  it('counts the keys of memory by scope, and has no other label for them', async () => {
    const keys = async () => [...(await scrape(app))].filter(([name]) => name.startsWith('mace_sem_keys'));
    expect((await keys()).map(([name]) => name).sort()).toEqual(
      ['agent', 'config', 'mace', 'system', 'user', 'world'].map((scope) => `mace_sem_keys{scope="${scope}"}`),
    );
    const cardinality = app.parts.app.nest.get(Metrics)['cardinality'];
    await until(async () => {
      cardinality['dueAt'] = 0;
      // The facts that come with the system.
      return new Map(await keys()).get('mace_sem_keys{scope="world"}')! > 100;
    });
  });

  it('answers with the rest where a store does not answer, and names what is missing', async () => {
    const host = app.parts.app.nest.get(ProjectionHost);
    const list = jest.spyOn(host, 'list').mockRejectedValue(new StoreUnavailableError('away'));
    const series = await scrape(app);
    list.mockRestore();
    expect(series.get('mace_unobserved{part="projections"}')).toBe(1);
    expect([...series.keys()].filter((name) => name.startsWith('mace_projection_'))).toEqual([]);
    expect(series.get('mace_appendable')).toBe(1);
  });

  it('is of this application alone, while another one runs in the same process', async () => {
    const other = await JobApp.open();
    try {
      const series = await scrape(other);
      expect(series.get('mace_jobs_ended_total{status="completed",agent="math_agent"}')).toBeUndefined();
    } finally {
      await other.dispose();
    }
  });
});

describe('with a port of their own, metrics', () => {
  let app: JobApp;
  let server: MetricsServer;
  let at: string;
  beforeAll(async () => {
    app = await JobApp.open({}, { MACE_METRICS_PORT: '0' });
    const { nest } = app.parts.app;
    server = await serveMetrics(
      nest.get(Metrics, { strict: false }),
      { host: '127.0.0.1', port: 0 },
      app.parts.platform.log,
    );
    at = `http://127.0.0.1:${server.address.port}`;
  });
  afterAll(async () => {
    await server?.close();
    await app.dispose();
  });

  it('are served there, and nothing else is', async () => {
    const answer = await fetch(`${at}/metrics`);
    expect([answer.status, seriesOf(await answer.text()).get('mace_appendable')]).toEqual([200, 1]);
    expect((await fetch(`${at}/health/live`)).status).toBe(404);
    expect((await fetch(`${at}/metrics`, { method: 'POST', body: 'x' })).status).toBe(405);
  });

  it('are not served with everything else, nor described there', async () => {
    const { fastify } = app.parts.app;
    expect((await fastify.inject({ method: 'GET', url: '/metrics' })).statusCode).toBe(404);
    const { paths } = (await fastify.inject({ method: 'GET', url: '/openapi.json' })).json<{ paths: object }>();
    expect(Object.keys(paths)).not.toContain('/metrics');
  });

  it('are refused by name where the port is taken', async () => {
    const place = { host: '127.0.0.1', port: server.address.port };
    const refused = serveMetrics(app.parts.app.nest.get(Metrics, { strict: false }), place, app.parts.platform.log);
    await expect(refused).rejects.toThrow(MetricsPortError);
    await expect(refused).rejects.toThrow(
      `MACE_METRICS_PORT: 127.0.0.1:${place.port} cannot be listened on (EADDRINUSE)`,
    );
  });
});
