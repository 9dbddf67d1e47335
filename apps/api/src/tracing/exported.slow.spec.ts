import { rm } from 'node:fs/promises';

import { exportedTraceId } from '#lib/tracing';

import { Collector } from '../../../../test/support/collector.js';
import { newDataFolder } from '../../../../test/support/data-folder.js';
import { inside } from '../../../../test/support/inside-server.js';
import { everyServedJobReplays } from '../../../../test/support/replay-check.js';
import { EACH_ITS_OWN, ServedProcess, tokenFor } from '../../../../test/support/served-process.js';

jest.setTimeout(120_000);

const TELLS_WHAT_IS_LOADED = `
  process.on('exit', () => {
    const loaded = Object.keys(process.getBuiltinModule('module')._cache);
    process.stderr.write('SDK loaded: ' + loaded.some((path) => path.includes('@opentelemetry/sdk-')) + '\\n');
  });
`;

let folder: string;
let token: string;
beforeAll(async () => {
  folder = await newDataFolder('tracing');
});
afterAll(async () => {
  await everyServedJobReplays(folder);
  await rm(folder, { recursive: true, force: true });
});

async function ask(server: ServedProcess): Promise<Response> {
  token ??= tokenFor(folder, 'tuff', 'user');
  return fetch(`${server.url}/jobs`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json', ...EACH_ITS_OWN },
    body: JSON.stringify({ query_text: '12.5% of 80' }),
  });
}

describe('a server that exports its spans', () => {
  it('has sent all of them once it has ended, under the traces that its answers named', async () => {
    const collector = await Collector.start();
    const server = await ServedProcess.start(folder, { ...collector.settings, OTEL_SERVICE_NAME: 'mace-here' });
    const answer = await ask(server);
    expect(answer.status).toBe(200);
    const job = (await answer.json()) as { trace_id: string };
    expect(await server.stop()).toBe(0);
    const of = (trace: string) => collector.spans.filter(({ traceId }) => traceId === exportedTraceId(trace));
    expect(of(answer.headers.get('x-trace-id')!).map(({ name }) => name)).toContain('POST /jobs');
    expect(of(job.trace_id).map(({ name }) => name)).toEqual(
      expect.arrayContaining(['job', 'agent math_agent', 'append']),
    );
    expect(new Set(collector.services)).toEqual(new Set(['mace-here']));
    await collector.close();
  });

  it('serves as ever where nobody takes them, says so once, and ends in time', async () => {
    const silent = await Collector.start({ answers: false });
    const quick = { OTEL_BSP_SCHEDULE_DELAY: '50', OTEL_EXPORTER_OTLP_TIMEOUT: '100', OTEL_BSP_EXPORT_TIMEOUT: '200' };
    const server = await ServedProcess.start(folder, { ...silent.settings, ...quick });
    const said = (): number => server.log().split('spans do not get to the collector').length - 1;
    for (let i = 0; i < 40; i++) expect((await ask(server)).status).toBe(200);
    while (said() === 0) await new Promise((resolve) => setTimeout(resolve, 50));
    for (let i = 0; i < 10; i++) expect((await ask(server)).status).toBe(200);
    expect(await server.stop()).toBe(0);
    expect([said(), server.log().trim().split('\n').length]).toEqual([1, 1]);
    await silent.close();
  });

  it('does not wait for a collector that keeps what it was sent last', async () => {
    const silent = await Collector.start({ answers: false });
    const patient = { OTEL_EXPORTER_OTLP_TIMEOUT: '3600000', OTEL_BSP_EXPORT_TIMEOUT: '3600000' };
    const server = await ServedProcess.start(folder, { ...silent.settings, ...patient });
    await ask(server);
    expect(await server.stop()).toBe(0);
    await silent.close();
  });
});

describe('a start', () => {
  it('names a setting of OpenTelemetry that cannot be meant', async () => {
    const refused = ServedProcess.start(folder, { OTEL_TRACES_EXPORTER: 'zipkin' });
    await expect(refused).rejects.toThrow('ended with 64: mace: OTEL_TRACES_EXPORTER: one of otlp, console, none');
  });

  it.each([
    ['nothing', { OTEL_SERVICE_NAME: 'mace' }, false],
    ['something', { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9', OTEL_EXPORTER_OTLP_TIMEOUT: '100' }, true],
  ])('loads %s of the SDK with %j', async (_, env, isLoaded) => {
    const server = await ServedProcess.start(folder, { ...env, ...inside(TELLS_WHAT_IS_LOADED) });
    await server.stop();
    expect(server.log()).toContain(`SDK loaded: ${isLoaded}`);
  });
});
