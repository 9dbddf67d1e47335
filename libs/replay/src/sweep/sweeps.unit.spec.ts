import type { CommandContext } from '#lib/access';
import { positionOf, StoreUnavailableError, UnknownSubjectKeyError } from '#lib/event-store';

import { KeptSpans } from '../../../tracing/src/testing/kept-spans.js';
import type { ReplayStep } from '../domain/replay.events.js';
import type { SweepRequest, SweepSummary } from '../domain/sweep.events.js';
import type { ReplayFinding } from '../replay-job.js';
import type { SweepRecord } from './sweep-record.js';
import type { SweepView } from './sweep-view.js';
import { Sweeps } from './sweeps.js';

const CTX = { principal: { id: 'user_ann' }, now: 0, seed: 'sweep' } as unknown as CommandContext;
const FOUND: ReplayFinding = { verdict: 'MATCH', steps: [], divergences: [], error_code: null, user_id: 'user_bob' };

function step(verdict: ReplayStep['verdict']): ReplayStep {
  return { step: 'merkle log', verdict, checked: 0, detail: '', cost_us: 0 };
}

/** Of two jobs of which the threads are not certain. */
async function sweptWith(audit: (jobId: string) => Promise<ReplayFinding>): Promise<SweepView> {
  const recorded: { request?: SweepRequest; summary?: SweepSummary } = {};
  const record = {
    find: () =>
      Promise.resolve(
        recorded.summary && { ...recorded, requestDigest: undefined, summaryEventId: 'e', summary: recorded.summary },
      ),
    begin: (request: SweepRequest) => Promise.resolve(void (recorded.request = request)),
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
    now: () => 0,
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
