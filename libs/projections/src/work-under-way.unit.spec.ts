import { setTimeout as sleep } from 'node:timers/promises';

import { MemoryReadStore } from '#lib/read-store';

import { newLease } from './lease.js';
import { workUnderWay } from './work-under-way.js';

const LEASE_MS = 200;
const ID = 'rs-0123456789abcdef0123456789abcdef';

function setUp() {
  const documents = new MemoryReadStore();
  const faults: unknown[] = [];
  const process = (leaseMs = LEASE_MS) =>
    workUnderWay(documents, 'sweeps', newLease(leaseMs), (fault) => void faults.push(fault));
  return { documents, process, faults };
}

it('shows another process how work stands, and no more of it once it is over', async () => {
  const { documents, process, faults } = setUp();
  const [one, other] = [process(), process()];
  let processed = 1;
  const told = await one.begin(ID, () => ({ processed }));
  expect(await other.elsewhere(ID)).toEqual({ processed: 1 });
  expect(await one.elsewhere(ID)).toBeNull();
  processed = 2;
  await sleep(LEASE_MS);
  expect(await other.elsewhere(ID)).toEqual({ processed: 2 });
  await told.end();
  expect(await other.elsewhere(ID)).toBeNull();
  expect([await documents.generations(), faults]).toEqual([[], []]);
});

it('takes work whose beat stands still for over', async () => {
  const { documents, process } = setUp();
  // Its next beat is an hour away: it has ended without a word.
  const told = await process(3_600_000).begin(ID, () => ({ processed: 7 }));
  const other = process();
  expect(await other.elsewhere(ID)).toEqual({ processed: 7 });
  await sleep(LEASE_MS + 50);
  expect(await other.elsewhere(ID)).toBeNull();
  await told.end();
  expect(await documents.generations()).toEqual([]);
});

it('goes on telling of work that two began at one moment', async () => {
  const { process, faults } = setUp();
  const [one, other, third] = [process(), process(), process()];
  const told = await Promise.all([one.begin(ID, () => ({ by: 1 })), other.begin(ID, () => ({ by: 2 }))]);
  await sleep(LEASE_MS);
  expect(await third.elsewhere(ID)).toEqual({ by: expect.any(Number) });
  for (const one of told) await one.end();
  expect(faults).toEqual([]);
});

it('neither tells nor looks where no other process is', async () => {
  const { documents } = setUp();
  const alone = workUnderWay(documents, 'sweeps', undefined, () => undefined);
  await (await alone.begin(ID, () => ({}))).end();
  expect([await alone.elsewhere(ID), await documents.generations()]).toEqual([null, []]);
});
