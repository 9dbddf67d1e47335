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
import type { JobPlace } from './swept-jobs.js';

const CTX = {
  principal: { id: 'user_ann', roles: ['auditor'], elevated: false },
  actor: { id: 'user_ann', role: 'auditor' },
  seed: 'asked',
  traceId: 'f'.repeat(32),
  requestDigest: 'd'.repeat(64),
  now: 0,
} as unknown as CommandContext;
const PLACES: readonly JobPlace[] = ['a', 'b', 'c', 'd'].map((job_id, i) => ({ job_id, position: positionOf(10 + i) }));
const FOUND: ReplayFinding = { verdict: 'MATCH', steps: [], divergences: [], error_code: null, user_id: 'user_bob' };

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

  /** @param endsAt the job at which its threads come to no end @param runs the job that still runs until all were looked at */
  process({ endsAt, runs }: { readonly endsAt?: string; readonly runs?: string } = {}): Sweeps {
    return new Sweeps({
      store: { head: () => Promise.resolve(positionOf(90)) },
      record: this.record,
      replays: {
        audit: (id) => {
          if (id === runs) return Promise.resolve({ ...FOUND, verdict: null, error_code: 'CONFLICT' });
          return Promise.resolve(id === 'b' ? { ...FOUND, verdict: null, error_code: 'INTEGRITY_FAILURE' } : FOUND);
        },
        request: () => Promise.resolve({ ...FOUND, verdict: null, error_code: 'INTEGRITY_FAILURE' } as never),
      },
      jobs: {
        count: () => Promise.resolve(PLACES.length),
        async *pages(after: Position) {
          const left = PLACES.filter(({ position }) => BigInt(position) > BigInt(after));
          for (const place of left) yield await Promise.resolve({ places: [place], upTo: place.position });
        },
      },
      open: (_threads, _checkpoint, jobs) => {
        this.opened.push(jobs);
        return {
          workers: [{ depth: 1, replay: ([id]: readonly string[]) => this.replay(id!, endsAt) }],
          stop: () => Promise.resolve(),
        };
      },
      covering: () => Promise.resolve({ size: 9, root: '' }),
      underWay: NO_OTHERS,
      now: () => 0,
      onTrouble: (error) => this.troubles.push(error),
    });
  }
  /** For how many jobs threads were opened, each time. */
  readonly opened: number[] = [];
  readonly troubles: unknown[] = [];

  private async replay(id: string, endsAt: string | undefined) {
    // Whoever stops its process lets it go.
    if (id === endsAt) await new Promise<void>((go) => (this.go = go));
    else this.replayed.push(id);
    return { match: 0, erased: [], open: [id] };
  }
  private go: () => void = () => undefined;

  /** Sweeps until the job at which the process is stopped. */
  async interrupted(endsAt: string, runs?: string): Promise<SweepView> {
    const process = this.process(runs === undefined ? { endsAt } : { endsAt, runs });
    const { sweep_id } = await process.begin({ threads: 1 }, CTX);
    const before = PLACES.findIndex(({ job_id }) => job_id === endsAt);
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
  it('is gone on with by the next process, in whose name it was asked for, and counts each job once', async () => {
    const house = new House();
    const left = await house.interrupted('c');
    expect(left).toMatchObject({ state: 'interrupted', processed: 2, position: '11', unmatched_total: 1 });
    const next = house.process();
    await next.goOn();
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
    await next.goOn();
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
      await one.process().goOn();
      expect(one.opened).toHaveLength(before);
    }
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
    unmatched_total: 1,
    authoritative: true,
    reached_at: '2026-01-05T10:00:10.000Z',
  };
  await house.record.note(noted, 0, CTX);
  const again = house.process({ endsAt: 'd' });
  await again.goOn();
  while ((await again.get(sweep_id)).processed < 3) await turn();
  const last = house.process();
  await last.goOn();
  expect(await ended(last, sweep_id)).toMatchObject({
    state: 'done',
    processed: 4,
    counts: { MATCH: 3, INTEGRITY_FAILURE: 1 },
    unmatched: [],
    unmatched_total: 1,
  });
  expect(house.replayed).toEqual(['c', 'c', 'd']);
});
