import { type CommandContext, fixtureKeyRing } from '#lib/access';
import {
  EventCodec,
  EventLog,
  MemoryEventStore,
  type Position,
  positionOf,
  SubjectCiphers,
  type SubjectKeyStore,
} from '#lib/event-store';
import { EventRegistry } from '#lib/kernel';
import { NO_OTHERS } from '#lib/projections';

import { sweepEvents, type SweepProgress } from '../domain/sweep.events.js';
import type { ReplayFinding } from '../replay-job.js';
import { SweepRecord } from './sweep-record.js';
import type { SweepView } from './sweep-view.js';
import { Sweeps } from './sweeps.js';
import type { JobPlace, JobsPage } from './swept-jobs.js';

const CTX = {
  principal: { id: 'user_ann', roles: ['auditor'], elevated: false },
  actor: { id: 'user_ann', role: 'auditor' },
  seed: 'asked',
  traceId: 'f'.repeat(32),
  requestDigest: 'd'.repeat(64),
  now: 0,
} as unknown as CommandContext;
const JOBS = ['a', 'b', 'c', 'd'];
const FOUND: ReplayFinding = { verdict: 'MATCH', steps: [], divergences: [], error_code: null, user_id: 'user_bob' };

interface ProcessOptions {
  readonly endsAt?: string;
  readonly runs?: string;
  /** Whether its sweeps end only where they are stopped. */
  readonly isEndless?: boolean;
}

/** A log over which one process after another sweeps, each range of one job. */
class House {
  private readonly store = new MemoryEventStore();
  private readonly ring = fixtureKeyRing();
  private readonly codec = new EventCodec(
    new EventRegistry(sweepEvents),
    this.ring,
    new SubjectCiphers({} as SubjectKeyStore, this.ring),
  );
  readonly record = new SweepRecord(new EventLog(this.store, this.codec));
  /** Jobs in the order in which they were replayed, by all processes. */
  readonly replayed: string[] = [];
  readonly places: JobPlace[] = JOBS.map((job_id, i) => ({ job_id, position: positionOf(10 + i) }));
  /** Where the log ends, and what happens while that is asked. */
  head = positionOf(90);
  atHead: () => void = () => undefined;
  /** What a checkpoint is waited for with. */
  covered: Promise<void> = Promise.resolve();

  /** @param endsAt the job at which its threads come to no end @param runs the job that still runs until all were looked at */
  process({ endsAt, runs, isEndless }: ProcessOptions = {}): Sweeps {
    return new Sweeps({
      store: {
        head: () => {
          this.atHead();
          return Promise.resolve(this.head);
        },
      },
      record: this.record,
      replays: {
        audit: (id) => {
          if (id === runs) return Promise.resolve({ ...FOUND, verdict: null, error_code: 'CONFLICT' });
          return Promise.resolve(id === 'b' ? { ...FOUND, verdict: null, error_code: 'INTEGRITY_FAILURE' } : FOUND);
        },
        request: () => Promise.resolve({ ...FOUND, verdict: null, error_code: 'INTEGRITY_FAILURE' } as never),
      },
      jobs: {
        count: (after, to) => Promise.resolve(this.within(after, to).length),
        pages: (after, to) => this.pages(this.within(after, to), isEndless ?? false),
      },
      listed: () => Promise.resolve(new Set<string>()),
      open: (_threads, _checkpoint, jobs) => {
        this.opened.push(jobs);
        return {
          workers: [{ depth: 1, replay: (ids: readonly string[]) => this.replay(ids, endsAt) }],
          stop: () => Promise.resolve(),
        };
      },
      covering: () => this.covered.then(() => ({ size: 9, root: '' })),
      underWay: NO_OTHERS,
      now: () => 0,
      onTrouble: (error) => this.troubles.push(error),
    });
  }
  /** For how many jobs threads were opened, each time. */
  readonly opened: number[] = [];
  readonly troubles: unknown[] = [];

  private within(after: Position, to: Position): readonly JobPlace[] {
    return this.places.filter((one) => BigInt(one.position) > BigInt(after) && BigInt(one.position) <= BigInt(to));
  }

  private async *pages(places: readonly JobPlace[], isEndless: boolean): AsyncGenerator<JobsPage> {
    for (const place of places) yield await Promise.resolve({ places: [place], upTo: place.position });
    for (; isEndless; await turn()) yield { places: [], upTo: positionOf(20) };
  }

  private async replay(ids: readonly string[], endsAt: string | undefined) {
    for (const id of ids) {
      // Whoever stops its process lets it go.
      if (id === endsAt) await new Promise<void>((go) => (this.go = go));
      else this.replayed.push(id);
    }
    return { match: 0, erased: [], open: ids };
  }
  private go: () => void = () => undefined;

  /** Sweeps until the job at which the process is stopped. */
  async interrupted(endsAt: string, runs?: string): Promise<SweepView> {
    const process = this.process(runs === undefined ? { endsAt } : { endsAt, runs });
    const { sweep_id } = await process.begin({ threads: 1 }, CTX);
    const before = JOBS.indexOf(endsAt);
    while ((await process.get(sweep_id)).processed < before - (runs === undefined ? 0 : 1)) await turn();
    const stopped = process.stop();
    this.go();
    await stopped;
    return process.get(sweep_id);
  }
}

const turn = (): Promise<void> => new Promise((done) => setImmediate(done));

async function ended(process: Sweeps, id: string): Promise<SweepView> {
  for (;;) {
    const view = await process.get(id);
    if (view.state !== 'running') return view;
    await turn();
  }
}

describe('a sweep whose process was stopped', () => {
  it('is gone on with by the next process that is asked, in whose name it was asked for first, and counts each job once', async () => {
    const house = new House();
    const left = await house.interrupted('c');
    expect(left).toMatchObject({ state: 'interrupted', processed: 2, position: '11', unmatched_total: 1 });
    const next = house.process();
    await next.begin({ threads: 1 }, { ...CTX, principal: { ...CTX.principal, id: 'user_zoe' }, seed: 'asked anew' });
    const view = await ended(next, left.sweep_id);
    expect(view).toMatchObject({ state: 'done', requested_by: 'user_ann', processed: 4, total: 4, unmatched_total: 1 });
    expect([view.counts, view.unmatched.map(({ job_id }) => job_id)]).toEqual([
      { MATCH: 3, INTEGRITY_FAILURE: 1 },
      ['b'],
    ]);
    expect([house.replayed, house.opened, house.troubles]).toEqual([['a', 'b', 'c', 'd'], [4, 2], []]);
    expect((await house.record.all()).map(({ summary }) => summary?.state)).toEqual(['done']);
  });

  it('is gone on with where it is asked for again, by the same request or by one for the same part', async () => {
    for (const seed of ['asked', 'asked anew']) {
      const house = new House();
      const left = await house.interrupted('c');
      const next = house.process();
      expect(await next.begin({ threads: 1 }, { ...CTX, seed })).toMatchObject({
        sweep_id: left.sweep_id,
        state: 'running',
        processed: 2,
      });
      expect(await ended(next, left.sweep_id)).toMatchObject({ state: 'done', processed: 4 });
    }
  });

  it('counts again what stood behind a job that still ran', async () => {
    const house = new House();
    const left = await house.interrupted('d', 'b');
    expect(left).toMatchObject({ state: 'interrupted', processed: 1, counts: { MATCH: 1 }, position: '10' });
    const next = house.process();
    await next.begin({ threads: 1 }, CTX);
    const counts = { MATCH: 3, INTEGRITY_FAILURE: 1 };
    expect(await ended(next, left.sweep_id)).toMatchObject({ state: 'done', processed: 4, counts });
  });

  it('is not gone on with once it was cancelled, or another was begun', async () => {
    const house = new House();
    const left = await house.interrupted('c');
    expect(await house.process().cancel(left.sweep_id, {})).toMatchObject({ state: 'cancelled', processed: 2 });
    const other = new House();
    await other.interrupted('c');
    const part = other.process();
    const { sweep_id } = await part.begin({ from: positionOf(12), threads: 1 }, { ...CTX, seed: 'part' });
    await ended(part, sweep_id);
    for (const one of [house, other]) {
      const before = one.opened.length;
      await one.process().begin({ threads: 1 }, CTX);
      expect(one.opened).toHaveLength(before);
    }
  });

  it('is gone on with for the whole log where no job has begun since', async () => {
    const house = new House();
    const left = await house.interrupted('c');
    house.head = positionOf(95);
    const next = house.process();
    const { sweep_id } = await next.begin({ threads: 1 }, { ...CTX, seed: 'asked anew' });
    expect(await ended(next, sweep_id)).toMatchObject({ sweep_id: left.sweep_id, to: '90', processed: 4 });
  });

  it('is not what the whole log is swept by where a job has begun since, but goes on for its own part', async () => {
    for (const [to, jobs] of [
      [undefined, 5],
      [positionOf(90), 4],
    ] as const) {
      const house = new House();
      const left = await house.interrupted('c');
      house.places.push({ job_id: 'e', position: positionOf(92) });
      house.head = positionOf(95);
      const next = house.process();
      const order = { threads: 1, ...(to === undefined ? {} : { to }) };
      const { sweep_id } = await next.begin(order, { ...CTX, seed: 'asked anew' });
      expect(sweep_id === left.sweep_id).toBe(jobs === 4);
      expect(await ended(next, sweep_id)).toMatchObject({ state: 'done', processed: jobs, to: to ?? '95' });
    }
  });

  it('is cancelled where somebody’s going on with it is in its turn', async () => {
    const house = new House();
    const { sweep_id } = await house.interrupted('c');
    let cover: () => void = () => undefined;
    house.covered = new Promise((done) => (cover = done));
    const next = house.process({ isEndless: true });
    try {
      const goesOn = next.begin({ threads: 1 }, CTX);
      const cancelled = next.cancel(sweep_id, {});
      cover();
      expect(await goesOn).toMatchObject({ sweep_id, state: 'running' });
      expect(await cancelled).toMatchObject({ state: 'cancelled' });
      expect(await house.process().get(sweep_id)).toMatchObject({ state: 'cancelled' });
    } finally {
      await next.stop();
    }
  });

  it('is what is left where the process that goes on with it is stopped meanwhile', async () => {
    const house = new House();
    const { sweep_id } = await house.interrupted('c');
    const next = house.process();
    let stopped = Promise.resolve();
    house.atHead = () => void (stopped = next.stop());
    await next.begin({ threads: 1 }, { ...CTX, seed: 'asked anew' });
    await stopped;
    const known = await house.record.all();
    expect(known.map(({ request, summary }) => [request.sweep_id, summary?.state])).toEqual([
      [sweep_id, 'interrupted'],
    ]);
  });
});

it('a sweep whose process was killed twice is gone on with from what was noted last, each time', async () => {
  const house = new House();
  const killed = house.process({ endsAt: 'a' });
  const { sweep_id } = await killed.begin({ threads: 1 }, CTX);
  const noted: SweepProgress = {
    sweep_id,
    position: positionOf(11),
    jobs: 2,
    counts: { MATCH: 1, INTEGRITY_FAILURE: 1 },
    unmatched: [{ job_id: 'b', verdict: null, error_code: 'INTEGRITY_FAILURE', replay_id: 'replay-b' }],
    unmatched_total: 1,
    authoritative: true,
    reached_at: '2026-01-05T10:00:10.000Z',
  };
  await house.record.note(noted, 0, CTX);
  const again = house.process({ endsAt: 'd' });
  await again.begin({ threads: 1 }, CTX);
  while ((await again.get(sweep_id)).processed < 3) await turn();
  const last = house.process();
  await last.begin({ threads: 1 }, CTX);
  expect(await ended(last, sweep_id)).toMatchObject({
    state: 'done',
    processed: 4,
    counts: { MATCH: 3, INTEGRITY_FAILURE: 1 },
    unmatched: noted.unmatched,
    unmatched_total: 1,
  });
  expect(house.replayed).toEqual(['c', 'c', 'd']);
});
