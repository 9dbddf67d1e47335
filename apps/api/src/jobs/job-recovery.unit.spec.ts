import { type JobDesk, JobLeases } from '#lib/jobs';
import { MaceError } from '#lib/kernel';
import { MemoryReadStore, ReadStoreUnavailableError } from '#lib/read-store';

import { until } from '../../../../test/support/eventually.js';
import { createLogger, type Logger } from '../edge/log.js';
import type { Hosting } from '../hosting.js';
import { JobRecovery } from './job-recovery.js';

const LEASE_MS = 80;

/** A process's desk, as far as recovery asks it; a job that is resumed ends at once. */
class Desk {
  readonly resumed: string[] = [];
  readonly isClosing = false;

  constructor(
    readonly underway: string[],
    private readonly unsealed: Set<string>,
  ) {}

  load(id: string) {
    return Promise.resolve(this.unsealed.has(id) ? { id, sealed: false } : null);
  }

  resume({ id }: { readonly id: string }) {
    this.resumed.push(id);
    if (id === 'halted') return Promise.reject(new MaceError('INTEGRITY_FAILURE', 'a snapshot of it is halted'));
    this.unsealed.delete(id);
    return Promise.resolve({ result: Promise.resolve() });
  }
}

describe('jobs that a process has left', () => {
  let documents: MemoryReadStore;
  let unsealed: Set<string>;
  const recoveries: JobRecovery[] = [];
  beforeEach(() => {
    documents = new MemoryReadStore();
    unsealed = new Set();
  });
  afterEach(async () => {
    await Promise.all(recoveries.splice(0).map((recovery) => recovery.stop()));
  });

  let waitFor: () => Promise<void>;
  beforeEach(() => {
    waitFor = () => Promise.resolve();
  });

  let logger: Logger;
  let leaseMs: number;
  beforeEach(() => {
    leaseMs = LEASE_MS;
    logger = createLogger({ mode: 'development', logLevel: 'silent' });
  });

  function process(hosting: Hosting, ...underway: string[]) {
    const desk = new Desk(underway, unsealed);
    const recovery = new JobRecovery({
      desk: desk as unknown as JobDesk,
      unfinished: { list: () => Promise.resolve([...unsealed]) },
      host: { waitFor: () => waitFor() },
      events: { head: () => Promise.resolve('0' as never) },
      documents,
      hosting,
      leaseMs,
      logger,
    });
    recoveries.push(recovery);
    recovery.start();
    return { desk, recovery };
  }

  const API: Hosting = { isHere: false, lease: undefined };
  const worker = (holder: string): Hosting => ({ isHere: true, lease: { holder, durationMs: 200 } });

  it('are finished by one worker once their lease has run out, and what another process runs is left alone until it ends', async () => {
    unsealed.add('left').add('slow');
    const api = process(API, 'slow');
    const [first, second] = [process(worker('first')), process(worker('second'))];
    await until(() => !unsealed.has('left'));
    await new Promise((resolve) => setTimeout(resolve, 3 * LEASE_MS));
    expect([...first.desk.resumed, ...second.desk.resumed]).toEqual(['left']);
    api.desk.underway.splice(0);
    await until(() => !unsealed.has('slow'));
    expect([...first.desk.resumed, ...second.desk.resumed]).toEqual(['left', 'slow']);
    expect(api.desk.resumed).toEqual([]);
  });

  it('are none of those that a living process could not renew while the store was away', async () => {
    unsealed.add('slow');
    const living = new JobLeases(documents, 'living');
    await living.renew(['slow']);
    const look = documents.generations.bind(documents);
    let [looks, isAway] = [0, false];
    jest.spyOn(documents, 'generations').mockImplementation(async (projection) => {
      if (isAway) throw new ReadStoreUnavailableError('away');
      looks++;
      const found = await look(projection);
      // As late as it can: whoever looks is back before who renews.
      if (looks > 2) setImmediate(() => void living.renew(['slow']));
      return found;
    });
    const { desk } = process(worker('first'));
    await until(() => looks === 2);
    isAway = true;
    await new Promise((resolve) => setTimeout(resolve, 2 * LEASE_MS));
    isAway = false;
    await until(() => looks >= 8);
    expect(desk.resumed).toEqual([]);
  });

  it('are told once where they cannot be finished, and tried again later each time', async () => {
    const warned = jest.spyOn(logger, 'warn');
    unsealed.add('halted');
    const { desk } = process(worker('first'));
    await until(() => desk.resumed.length === 3);
    const since = performance.now();
    await until(() => desk.resumed.length === 4);
    expect(performance.now() - since).toBeGreaterThan(2 * LEASE_MS);
    expect(warned).toHaveBeenCalledTimes(1);
  });

  it('are finished at once where their process gave them back', async () => {
    unsealed.add('mine');
    leaseMs = 4000;
    const api = process(API, 'mine');
    const { desk } = process(worker('first'));
    await until(async () => (await documents.generations('job-leases')).length === 1);
    await new Promise((resolve) => setTimeout(resolve, leaseMs / 2));
    const since = performance.now();
    await api.recovery.stop();
    await until(() => desk.resumed.length === 1);
    expect(performance.now() - since).toBeLessThan(leaseMs);
  });

  it('are finished at once where no other process can run them', async () => {
    unsealed.add('left');
    const { desk } = process({ isHere: true, lease: undefined });
    await until(() => unsealed.size === 0);
    expect(desk.resumed).toEqual(['left']);
    expect(await documents.generations()).toEqual([]);
  });

  it('are looked for again where the list of them could not be waited for', async () => {
    unsealed.add('left');
    let asked = 0;
    waitFor = () => (++asked === 1 ? Promise.reject(new ReadStoreUnavailableError('away')) : Promise.resolve());
    const { desk } = process({ isHere: true, lease: undefined });
    await until(() => unsealed.size === 0);
    expect([desk.resumed, asked]).toEqual([['left'], 2]);
  });

  it.each([
    ['not told of where their list stopped with the process', 'stopped', 0],
    ['told of where their list is halted', 'halted', 1],
  ])('are %s', async (_, state, errors) => {
    const error = jest.spyOn(logger, 'error');
    let asked = 0;
    waitFor = () => {
      asked++;
      return Promise.reject(new MaceError('WAIT_TIMEOUT', 'projection jobs', { state }));
    };
    process({ isHere: true, lease: undefined });
    await until(() => asked === 1);
    await new Promise((resolve) => setImmediate(resolve));
    expect(error).toHaveBeenCalledTimes(errors);
  });

  it('are given back at the end of a process that names some', async () => {
    const { recovery } = process(API, 'mine');
    await until(async () => (await documents.generations('job-leases')).length === 1);
    await recovery.stop();
    expect(await documents.generations('job-leases')).toEqual([]);
  });
});
