import { decide, ROUTER_DEFAULTS } from '#lib/routing';

import { snapshotModule } from './domain/chunks.js';
import { decideOutcomes } from './domain/decide.js';
import { EndpointProbe } from './endpoint-probe.js';
import { timeout } from './testing/placed.js';
import { selfrepProcess } from './testing/selfrep-process.js';

const BY = { actor: { id: 'system', role: 'system' }, sequenceIndex: 0, traceId: 't'.repeat(32) };
type Health = { readonly status_reason: string };
const URL_OF = (node: string) => `https://agents.example/${node.slice('agent:'.length)}`;
const QUESTION = {
  classification: { intent_tags: ['shop.refund'] },
  attention: { attention_gain: 0.5, explore_bias: 0.15 },
  goals: [],
  budget: { token_budget: 2048, max_depth_allowed: 2 },
  constants: ROUTER_DEFAULTS,
  excluded: [],
  has_user: true,
};

/** Two of three modules went offline by failures; one of these answers again. */
it('a module elsewhere that answers again is degraded, by one event of two processes, and routed to; the others are not asked', async () => {
  const process = selfrepProcess();
  const nodes = ['agent:up_v1', 'agent:down_v1', 'agent:well_v1'];
  const capabilities = ['shop.refund'];
  for (const node of nodes)
    await process.register(node, { endpoint: { kind: 'http', url: URL_OF(node) }, capabilities });
  for (const [i, node] of nodes.slice(0, 2).entries())
    await process.streams.execute(node, { ...BY, jobSeed: `s${i}` }, (module) =>
      decideOutcomes(module!, [timeout(), timeout(), timeout()], {}, process.constants),
    );
  await process.directory.start();
  const asked: string[] = [];
  const isAnswering = async ({ endpoint }: { endpoint?: { url: string } }): Promise<boolean> => {
    asked.push(endpoint!.url);
    return endpoint!.url === URL_OF('agent:up_v1');
  };
  const stopping = new AbortController();
  const calls = { isAnswering, cardHash: () => Promise.resolve(null) };
  const run = () =>
    new EndpointProbe(process.streams, process.directory, calls, process.constants, 1e6).run(stopping.signal);
  const running = Promise.allSettled([run(), run()]);
  const recovered = async () => (await process.events('agent:up_v1')).filter(({ type }) => type === 'MODULE_RECOVERED');
  while (asked.length < 4 || (await recovered()).length === 0) await new Promise((done) => setTimeout(done, 2));
  stopping.abort();
  await running;
  expect(asked.sort()).toEqual([
    URL_OF('agent:down_v1'),
    URL_OF('agent:down_v1'),
    URL_OF('agent:up_v1'),
    URL_OF('agent:up_v1'),
  ]);
  expect(await recovered()).toHaveLength(1);
  const { health } = (await process.streams.read('agent:down_v1')).module!;
  expect(health.status).toBe('offline');
  const back = snapshotModule((await process.streams.read('agent:up_v1')).module!);
  expect(decide({ ...QUESTION, modules: [back] })).toMatchObject({ node_id: 'agent:up_v1' });
  await process.directory.stop();
});

it('an agent by A2A whose card is another than was approved is degraded until the approved one is there again', async () => {
  const process = selfrepProcess();
  const card = { sha256: 'a'.repeat(64), version: '1', url: 'https://agents.example/rpc' };
  const node = 'agent:carded_v1';
  await process.register(node, { endpoint: { kind: 'a2a', url: URL_OF(node), card } });
  await process.directory.start();
  const seen = [null, 'b'.repeat(64), 'b'.repeat(64)];
  const cardHash = () => Promise.resolve(seen.length > 0 ? seen.shift()! : card.sha256);
  const calls = { isAnswering: () => Promise.resolve(true), cardHash };
  const stopping = new AbortController();
  const probe = new EndpointProbe(process.streams, process.directory, calls, process.constants, 1);
  const running = probe.run(stopping.signal).catch(() => undefined);
  const reasons = async () => (await process.events(node)).map(({ data }) => (data['health'] as Health).status_reason);
  while ((await reasons()).length < 3) await new Promise((done) => setTimeout(done, 2));
  stopping.abort();
  await running;
  const few = 'fewer than 2 trust events';
  expect(await reasons()).toEqual([few, 'its agent card is another than was approved', few]);
  await process.directory.stop();
});
