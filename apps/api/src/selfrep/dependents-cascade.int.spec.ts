import { until } from '../../../../test/support/eventually.js';
import { JobApp, type Caller } from '../../../../test/support/job-app.js';

type Body = Record<string, unknown>;

const [BASE, MID, TOP] = ['service:base', 'tool:mid', 'tool:top'] as const;

let app: JobApp;
let both: Caller;
beforeAll(async () => {
  app = await JobApp.open();
  both = await app.caller('both', ['admin', 'council', 'operator'], ['otp']);
});
afterAll(() => app.dispose());

async function register(node_id: string, ...requires: readonly string[]): Promise<void> {
  const type = node_id.slice(0, node_id.indexOf(':'));
  const dependencies = requires.map((to) => ({ to, required: true }));
  const body = { node_id, type, display_name: node_id, version: '1', dependencies };
  expect((await both.send('POST', '/module/register', body)).status).toBe(200);
}

async function say(node_id: string, ...types: readonly string[]): Promise<void> {
  for (const event_type of types) {
    const payload = event_type === 'COUNCIL_APPROVAL' ? { approve: true } : {};
    expect((await both.send('POST', '/apt/event', { node_id, event_type, payload })).status).toBe(200);
  }
}
const trusted = (node_id: string) => say(node_id, 'AGENT_SUCCESS', 'COUNCIL_APPROVAL', 'COUNCIL_APPROVAL');

/** Status of each module, with a ! where a dependency of it is not healthy. */
async function seen(): Promise<string> {
  const told = [BASE, MID, TOP].map(async (node_id) => {
    const { body } = await both.get<Body>(`/modules/${node_id}`);
    return `${String(body['status'])}${body['dependency_unhealthy'] === true ? '!' : ''}`;
  });
  return (await Promise.all(told)).join(' ');
}

/** Once the reactor has come by. */
async function expectSettled(wanted: string): Promise<void> {
  let last = '';
  const isThere = async (): Promise<boolean> => (last = await seen()) === wanted;
  await until(isThere, wanted).catch((error: unknown) => {
    throw new Error(`last seen: ${last}`, { cause: error });
  });
}

describe('a chain of required dependencies', () => {
  it('is flagged link by link as it breaks, and cleared link by link as it becomes healthy again', async () => {
    await register(BASE);
    await register(MID, BASE);
    await register(TOP, MID);
    await expectSettled('degraded degraded! degraded!');
    for (const node of [BASE, MID, TOP]) await trusted(node);
    await expectSettled('healthy healthy healthy');

    await say(BASE, 'AGENT_EXCEPTION', 'AGENT_EXCEPTION', 'AGENT_EXCEPTION');
    // The flag is no status: what requires a flagged module that is healthy itself is not flagged.
    await expectSettled('offline healthy! healthy');
    await say(MID, 'AGENT_TIMEOUT');
    await expectSettled('offline degraded! healthy!');

    await app.whileClosed(() => undefined);
    both = await app.caller('both', ['admin', 'council', 'operator'], ['otp']);
    await expectSettled('offline degraded! healthy!');

    expect((await both.send('POST', `/modules/${BASE}/restore`, { reason: 'mended' })).status).toBe(200);
    await expectSettled('degraded degraded! healthy!');
    await trusted(BASE);
    await expectSettled('healthy degraded healthy!');
    await say(MID, 'AGENT_SUCCESS', 'COUNCIL_APPROVAL', 'COUNCIL_APPROVAL');
    await expectSettled('healthy healthy healthy');
  });

  it('records each change of a flag once, with what is not healthy', async () => {
    const flags = async (node_id: string) =>
      (await app.stream(`module-${node_id}`))
        .filter(({ type }) => type === 'DEPENDENCY_HEALTH_CHANGED')
        .map(({ data }) => (data['unhealthy'] as readonly string[]).join());
    expect(await flags(MID)).toEqual([BASE, '', BASE, '']);
    expect(await flags(TOP)).toEqual([MID, '', MID, '']);
  });
});
