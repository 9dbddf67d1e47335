import fc from 'fast-check';

import { until } from '../support/eventually.js';
import { expectNoFaults, FuzzedApp } from './fuzzed-app.js';
import { wholeNumber } from './numbers.js';
import type { Operation } from './operations.js';

const SEED = wholeNumber('MACE_TEST_SEED', 1);
const REQUESTS = wholeNumber('MACE_FUZZ_REQUESTS', 400);
const LIMITED = 150;

jest.setTimeout(180_000 + REQUESTS * 1_000);

/** What others are asked about is made more often. */
const MAKES_MUCH: ReadonlyMap<string, number> = new Map([
  ['jobs.ask', 24],
  ['sem.put', 12],
  ['actionRequests.create', 8],
  ['brainState.create', 8],
  ['consents.grant', 8],
  ['module.register', 8],
]);

function weightOf({ operationId, method }: Operation): number {
  return MAKES_MUCH.get(operationId) ?? (method === 'GET' ? 2 : 3);
}

function requestsOf(fuzzed: FuzzedApp) {
  return fc.oneof(...fuzzed.operations.map((one) => ({ weight: weightOf(one), arbitrary: fuzzed.requestsOf(one) })));
}

describe('an interface that is asked whatever its description allows, nearly allows and does not foresee', () => {
  let fuzzed: FuzzedApp;
  beforeAll(async () => {
    fuzzed = await FuzzedApp.open();
  });
  afterAll(() => fuzzed.dispose());

  it(`answers ${REQUESTS} requests drawn from seed ${SEED} as it is described, fails at none and hangs at none`, async () => {
    const plan = { seed: SEED, requests: REQUESTS };
    const outcome = await fuzzed.fuzz(requestsOf(fuzzed), plan);
    expectNoFaults(outcome, plan, 'rest');
    // A few draw not every operation.
    if (REQUESTS < 1_500) return;
    const silent = fuzzed.operations.filter(({ operationId }) => !outcome.answers.has(operationId));
    expect(silent.map(({ operationId }) => operationId)).toEqual([]);
  });

  it('serves on, and is ready', async () => {
    const zoe = await fuzzed.app.caller('zoe');
    expect(await zoe.get('/health/ready')).toMatchObject({ status: 200 });
    const color = '/sem/user/profile/user_zoe/favorite_color';
    expect(await zoe.send('PUT', color, { value: 'blue' })).toMatchObject({ status: 200 });
    expect(await zoe.get(color)).toMatchObject({ status: 200, body: { value: 'blue' } });
  });

  it('has a log that is as it was signed', async () => {
    const auditor = await fuzzed.app.caller('audrey', ['auditor']);
    const { status, body } = await auditor.send<{ verification_id: string }>('POST', '/integrity/verify', {});
    expect([status, body]).toEqual([202, body]);
    const path = `/integrity/verifications/${body.verification_id}`;
    const look = () => auditor.get<{ state: string; sound: boolean; found: unknown[] }>(path);
    await until(async () => (await look()).body.state !== 'running', 'the end of the check');
    expect((await look()).body).toMatchObject({ state: 'done', sound: true, found: [] });
  });
});

describe('an interface that limits how often somebody may ask', () => {
  let fuzzed: FuzzedApp;
  beforeAll(async () => {
    fuzzed = await FuzzedApp.open({ MACE_RATE_LIMIT: '5/3600' });
  });
  afterAll(() => fuzzed.dispose());

  it('says so as it is described, wherever it is asked, and fails at nothing', async () => {
    const plan = { seed: SEED, requests: LIMITED };
    const outcome = await fuzzed.fuzz(requestsOf(fuzzed), plan);
    expectNoFaults(outcome, plan, 'rest');
    const limited = [...outcome.answers.values()].filter((counts) => counts.has('RATE_LIMITED'));
    expect(limited.length).toBeGreaterThan(20);
  });
});
