import { type CommandContext, fixtureKeyRing } from '#lib/access';
import { EventCodec, EventLog, MemoryEventStore, SubjectCiphers, type SubjectKeyStore } from '#lib/event-store';
import { EventRegistry } from '#lib/kernel';

import {
  type SweepProgress,
  type SweepRequest,
  sweepEvents,
  type SweepSummary,
  type UnmatchedJob,
} from '../domain/sweep.events.js';
import { SweepRecord } from './sweep-record.js';
import { recordedView } from './sweep-view.js';

const CTX = { seed: 'seed', actor: { id: 'user_ann', role: 'auditor' }, traceId: 'trace' } as unknown as CommandContext;
const REQUEST: SweepRequest = {
  sweep_id: 'rs-1',
  mode: 'audit',
  actor_id: 'user_ann',
  from: '0',
  to: '900',
  jobs: 60,
  threads: 1,
  checkpoint_size: 900,
  requested_at: '2026-01-05T10:00:00.000Z',
};
const PROGRESS: SweepProgress = {
  sweep_id: 'rs-1',
  position: '300',
  jobs: 20,
  counts: { MATCH: 18, MISMATCH: 2 },
  unmatched: [],
  unmatched_total: 2,
  authoritative: true,
  reached_at: '2026-01-05T10:00:10.000Z',
};
const SUMMARY: SweepSummary = {
  sweep_id: 'rs-1',
  state: 'done',
  position: '900',
  jobs: 60,
  counts: { MATCH: 60 },
  unmatched: [],
  unmatched_total: 0,
  authoritative: true,
  ended_at: '2026-01-05T10:00:30.000Z',
  reason: null,
};

const unmatched = (job_id: string): UnmatchedJob => ({
  job_id,
  verdict: 'MISMATCH',
  error_code: 'REPLAY_DIVERGENCE',
  replay_id: `replay-${job_id}`,
});

/** As another process reads what one has recorded, which then ended without a word. */
function records(): () => SweepRecord {
  const store = new MemoryEventStore();
  const ring = fixtureKeyRing();
  const ciphers = new SubjectCiphers({} as SubjectKeyStore, ring);
  return () => new SweepRecord(new EventLog(store, new EventCodec(new EventRegistry(sweepEvents), ring, ciphers)));
}

it('a sweep whose process was killed is told as it was noted last, so that another goes on from there', async () => {
  const opened = records();
  const killed = opened();
  await killed.begin(REQUEST, CTX);
  expect(recordedView((await opened().find('rs-1'))!)).toMatchObject({
    state: 'interrupted',
    position: '0',
    processed: 0,
  });
  const [first, second] = ['job:1', 'job:2'].map(unmatched);
  await killed.note({ ...PROGRESS, position: '100', jobs: 7, unmatched: [first!] }, 0, CTX);
  // One that was noted, and of which its process heard nothing, is noted again.
  await killed.note({ ...PROGRESS, unmatched: [first!, second!] }, 1, CTX);
  expect(recordedView((await opened().find('rs-1'))!)).toMatchObject({
    state: 'interrupted',
    position: '300',
    processed: 20,
    counts: { MATCH: 18, MISMATCH: 2 },
    unmatched: [first, second],
    unmatched_total: 2,
    summary_event_id: null,
  });
});

it('a sweep lists a thousand jobs of those that were noted, and counts the others', async () => {
  const opened = records();
  await opened().begin(REQUEST, CTX);
  const jobs = Array.from({ length: 1500 }, (_, i) => unmatched(`job:${i}`));
  await opened().note({ ...PROGRESS, unmatched: jobs.slice(0, 900), unmatched_total: 900 }, 0, CTX);
  await opened().note({ ...PROGRESS, unmatched: jobs.slice(900), unmatched_total: 1500 }, 1, CTX);
  const view = recordedView((await opened().find('rs-1'))!);
  expect([view.unmatched, view.unmatched_total]).toEqual([jobs.slice(0, 1000), 1500]);
});

it('a sweep that has ended is told by its summary, and nothing more is noted of it', async () => {
  const opened = records();
  const record = opened();
  await record.begin(REQUEST, CTX);
  await record.note(PROGRESS, 0, CTX);
  await record.end(SUMMARY, CTX);
  await record.note({ ...PROGRESS, position: '400' }, 1, CTX);
  const found = (await opened().find('rs-1'))!;
  expect(found.progress).toEqual(PROGRESS);
  // 60 jobs in 30 s.
  const ended = { state: 'done', position: '900', processed: 60, rate: 2, unmatched_total: 0 };
  expect(recordedView(found)).toMatchObject(ended);
});
