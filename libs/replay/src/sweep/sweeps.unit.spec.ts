import type { CommandContext } from '#lib/access';
import { positionOf, StoreUnavailableError, UnknownSubjectKeyError } from '#lib/event-store';
import { newLease, NO_OTHERS, workUnderWay } from '#lib/projections';
import { MemoryReadStore } from '#lib/read-store';

import { KeptSpans } from '../../../tracing/src/testing/kept-spans.js';
import type { ReplayStep } from '../domain/replay.events.js';
import type { SweepProgress, SweepRequest, SweepSummary } from '../domain/sweep.events.js';
import type { ReplayFinding } from '../replay-job.js';
import type { SweepRecord } from './sweep-record.js';
import type { SweepView } from './sweep-view.js';
import { Sweeps } from './sweeps.js';

const CTX = { principal: { id: 'user_ann' }, now: 0, seed: 'sweep' } as unknown as CommandContext;
const FOUND: ReplayFinding = { verdict: 'MATCH', steps: [], divergences: [], error_code: null, user_id: 'user_bob' };

function step(verdict: ReplayStep['verdict']): ReplayStep {
  return { step: 'merkle log', verdict, checked: 0, detail: '', cost_us: 0 };
}

interface Timed {
  readonly now?: () => number;
  readonly note?: (progress: SweepProgress) => Promise<void>;
}

/** Of two jobs of which the threads are not certain. */
async function sweptWith(
  audit: (jobId: string) => Promise<ReplayFinding>,
  { now = () => 0, note = () => Promise.resolve() }: Timed = {},
): Promise<SweepView> {
  const recorded: { request?: SweepRequest; summary?: SweepSummary } = {};
  const record = {
    find: () =>
      Promise.resolve(
        recorded.summary && { ...recorded, requestDigest: undefined, summaryEventId: 'e', summary: recorded.summary },
      ),
    all: () => Promise.resolve([]),
    begin: (request: SweepRequest) => Promise.resolve((recorded.request = request) === request),
    note,
    end: (summary: SweepSummary) => {
      recorded.summary = summary;
      return Promise.resolve('e');
    },
  };
  const ids = ['a', 'b'];
  const sweeps = new Sweeps({
    store: { head: () => Promise.resolve(positionOf(9)) },
    record: record as unknown as SweepRecord,
    replays: { audit, request: () => Promise.reject(new UnknownSubjectKeyError('user_bob.1.0')) },
    jobs: {
      count: () => Promise.resolve(ids.length),
      async *pages() {
        const places = ids.map((job_id, i) => ({ job_id, position: positionOf(i + 1) }));
        yield await Promise.resolve({ places, upTo: positionOf(9) });
      },
    },
    open: () => ({
      workers: [{ depth: 1, replay: (open) => Promise.resolve({ match: 0, erased: [], open }) }],
      stop: () => Promise.resolve(),
    }),
    covering: () => Promise.resolve({ size: 9, root: '' }),
    listed: () => Promise.resolve(new Set<string>()),
    underWay: NO_OTHERS,
    now,
    onTrouble: () => undefined,
  });
  const { sweep_id } = await sweeps.begin({ threads: 1 }, CTX);
  for (;;) {
    await new Promise((done) => setImmediate(done));
    const view = await sweeps.get(sweep_id);
    if (view.state !== 'running') return view;
  }
}

it('a sweep has a span of its own, and within it one for each range that a thread replays', async () => {
  const spans = new KeptSpans();
  try {
    await sweptWith(() => Promise.resolve(FOUND));
    const [whole] = spans.named('replay sweep');
    const [range] = spans.named('replay range');
    expect(whole?.attributes).toMatchObject({ 'mace.job.count': 2, 'mace.position': '9' });
    expect(range?.attributes).toMatchObject({ 'mace.job.count': 2 });
    expect(range?.parentSpanContext?.spanId).toBe(whole?.spanContext().spanId);
  } finally {
    await spans.end();
  }
});

describe('the summary of a sweep', () => {
  it('is authoritative where each job’s own replay is', async () => {
    const view = await sweptWith(() => Promise.resolve({ ...FOUND, steps: [step('ok')] }));
    expect(view).toMatchObject({ state: 'done', counts: { MATCH: 2 }, authoritative: true });
  });

  it('is not authoritative where something of one match could not be looked at', async () => {
    const view = await sweptWith((id) => Promise.resolve({ ...FOUND, steps: [step(id === 'a' ? 'unchecked' : 'ok')] }));
    expect(view).toMatchObject({ state: 'done', counts: { MATCH: 2 }, authoritative: false });
  });

  it('counts a job whose own replay cannot be recorded for a lost key, and goes on', async () => {
    const view = await sweptWith((id) =>
      Promise.resolve(id === 'a' ? { ...FOUND, verdict: null, error_code: 'DATA_UNAVAILABLE' } : FOUND),
    );
    expect(view).toMatchObject({ state: 'done', counts: { MATCH: 1, DATA_UNAVAILABLE: 1 }, processed: 2 });
  });

  it('says failed, and by what, where the store does not answer', async () => {
    const view = await sweptWith(() => Promise.reject(new StoreUnavailableError('gone')));
    expect(view).toMatchObject({ state: 'failed', reason: 'StoreUnavailableError', processed: 0 });
  });
});

describe('what is noted of a sweep while it runs', () => {
  it('stands before its summary, and is how far it is', async () => {
    let at = 0;
    const noted: SweepProgress[] = [];
    const note = async (progress: SweepProgress): Promise<void> => {
      await new Promise((done) => setTimeout(done, 20));
      noted.push(progress);
    };
    const view = await sweptWith(() => Promise.resolve(FOUND), { now: () => (at += 6_000), note });
    expect(view.state).toBe('done');
    expect(noted).toMatchObject([{ position: '9', jobs: 2, counts: { MATCH: 2 }, authoritative: true }]);
  });

  it('is nothing of one that is over at once, and ends none where it cannot be noted', async () => {
    const refuse = (): Promise<void> => Promise.reject(new Error('not noted'));
    let at = 0;
    for (const step of [0, 6_000]) {
      const view = await sweptWith(() => Promise.resolve(FOUND), { now: () => (at += step), note: refuse });
      expect(view).toMatchObject({ state: 'done', processed: 2 });
    }
    const never = jest.fn(refuse);
    await sweptWith(() => Promise.resolve(FOUND), { note: never });
    expect(never).not.toHaveBeenCalled();
  });
});

describe('a sweep that another process on the same log is asked for again', () => {
  const known: {
    request: SweepRequest;
    requestDigest: undefined;
    summary: SweepSummary | null;
    summaryEventId: null;
  }[] = [];
  const documents = new MemoryReadStore();
  const opened: string[] = [];

  /** A process whose threads come to no end until they are stopped. */
  function started(name: string, { beginsLate = false, head = 9, since = 0 } = {}): Sweeps {
    const record = {
      all: () => Promise.resolve(known),
      find: (id: string) =>
        Promise.resolve(beginsLate ? undefined : known.find(({ request }) => request.sweep_id === id)),
      begin: (request: SweepRequest) => {
        beginsLate = false;
        if (known.some((one) => one.request.sweep_id === request.sweep_id)) return Promise.resolve(false);
        known.push({ request, requestDigest: undefined, summary: null, summaryEventId: null });
        return Promise.resolve(true);
      },
      end: (summary: SweepSummary) => {
        known.forEach((one) => one.request.sweep_id === summary.sweep_id && (one.summary = summary));
        return Promise.resolve('e');
      },
    };
    const parts = {
      store: { head: () => Promise.resolve(positionOf(head)) },
      record: record as unknown as SweepRecord,
      replays: { audit: () => Promise.resolve(FOUND), request: () => Promise.reject(new Error('none')) },
      jobs: {
        count: (from: string) => Promise.resolve(from === '0' ? 1 : since),
        async *pages(_from: unknown, _to: unknown) {
          await new Promise((done) => ends.push(done));
        },
      },
      open: () => {
        opened.push(name);
        return { workers: [], stop: () => Promise.resolve() };
      },
      covering: () => Promise.resolve(null),
      listed: () => Promise.resolve(new Set<string>()),
      underWay: workUnderWay(documents, 'replay-sweeps', newLease(60_000), raise),
      now: () => 0,
      onTrouble: raise,
    };
    return new Sweeps(parts);
  }
  const ends: ((value: unknown) => void)[] = [];
  const raise = (fault: unknown): void => {
    throw fault;
  };

  it('is the one that runs there, while it runs and once it has ended', async () => {
    const [one, other] = [started('one'), started('other')];
    const first = await one.begin({ threads: 1 }, CTX);
    expect(first).toMatchObject({ state: 'running', total: 1 });
    expect(await other.begin({ threads: 1 }, CTX)).toMatchObject({ sweep_id: first.sweep_id, state: 'running' });
    expect(await other.get(first.sweep_id)).toMatchObject({ state: 'running' });
    expect((await other.list(10)).items).toMatchObject([{ sweep_id: first.sweep_id, state: 'running' }]);
    // Whoever asks for another part meanwhile is told which one runs.
    const part = { from: positionOf(3), threads: 1 };
    await expect(other.begin(part, { ...CTX, seed: 'another' })).rejects.toThrow(
      /sweep .* runs over the jobs behind 0 and up to 9 elsewhere/,
    );
    // Nor is it the same part once it leaves a job out; what came since may be none.
    const later = { threads: 1 };
    const seed = { ...CTX, seed: 'later' };
    expect(await started('later', { head: 12 }).begin(later, seed)).toMatchObject({ sweep_id: first.sweep_id });
    await expect(started('later', { head: 12, since: 1 }).begin(later, seed)).rejects.toMatchObject({
      code: 'CONFLICT',
    });
    // And both may have been asked at one moment.
    expect(await started('late', { beginsLate: true }).begin({ threads: 1 }, CTX)).toMatchObject({ state: 'running' });
    for (const end of ends) end(undefined);
    while ((await one.get(first.sweep_id)).state === 'running') await new Promise((done) => setImmediate(done));
    expect(await other.begin({ threads: 1 }, CTX)).toMatchObject({ sweep_id: first.sweep_id, summary_event_id: null });
    expect((await other.get(first.sweep_id)).state).not.toBe('running');
    expect(opened).toEqual(['one']);
  });
});
