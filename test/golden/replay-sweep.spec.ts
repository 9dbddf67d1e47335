import { EventLog, type RecordedEvent } from '#lib/event-store';
import { Snapshots, snapshotStream } from '#lib/governance';
import { jobStream } from '#lib/jobs';
import { auditJob, RangeReplayer, type SweepView, type Verdict } from '#lib/replay';

import { ArrayStore, renumbered } from '../support/array-store.js';
import { eventually } from '../support/eventually.js';
import { everyEvent, type StreamKind, streamsOf } from '../support/every-stream.js';
import { forgedJob } from '../support/forging.js';
import { type AnyBody, type Caller, JobApp } from '../support/job-app.js';
import { remove, resign, resignAs } from '../support/resigning.js';
import { tamper } from '../support/tampering.js';
import { TAMPERINGS } from '../support/tamperings.js';

/** A sweep says of each job what a replay of that job alone says (spec/replay.md). */

const MATCHES: readonly (Verdict | null)[] = ['MATCH', 'MATCH_WITH_ERASED_INPUTS'];

describe('a range of jobs', () => {
  let app: JobApp;
  let log: readonly RecordedEvent[];
  /** Kinds of streams that jobs stand on, or that are about them. */
  const KINDS: readonly StreamKind[] = ['job', 'sem', 'snapshot', 'module', 'system'];

  beforeAll(async () => {
    app = await JobApp.open();
    const rita = await app.caller('rita');
    await rita.ask('Remember that my favorite color is green', { job_seed: 'swept-1' });
    await rita.ask('6*7', { job_seed: 'swept-2' });
    log = renumbered(await everyEvent(app));
  });
  afterAll(() => app.dispose());

  it.each(KINDS.map((kind) => [kind] as const))(
    'leaves open exactly the jobs that match no more, whatever is done to a stream of kind %s',
    async (kind) => {
      const [target, other = streamsOf(log, 'principal')[0]!] = streamsOf(log, kind);
      const wrong: string[] = [];
      let open = 0;
      for (const { name, apply } of TAMPERINGS) {
        const changed = apply(log, target!, other);
        if (changed === null) continue;
        const [single, range] = [await singly(changed), await asRange(changed)];
        const unmatched = [...single].filter(([, verdict]) => !MATCHES.includes(verdict)).map(([id]) => id);
        if (unmatched.join() !== range.open.join()) wrong.push(`${name}: ${unmatched.join()} or ${range.open.join()}`);
        if (single.size !== range.match + range.erased.length + range.open.length) wrong.push(`${name}: not all`);
        open += unmatched.length;
      }
      expect(wrong).toEqual([]);
      if (kind === 'job') expect(open).toBeGreaterThan(TAMPERINGS.length / 2);
    },
  );

  it('is read as it stands: what was verified of the range before is not taken for what stands there now', async () => {
    const { codec } = app.parts.platform.events;
    const { ring } = app.parts.platform;
    const store = new ArrayStore(log);
    let reads: ArrayStore = store;
    const changing = {
      readStream: (...asked: Parameters<ArrayStore['readStream']>) => reads.readStream(...asked),
      streamVersion: (stream: string) => reads.streamVersion(stream),
      readAll: (...asked: Parameters<ArrayStore['readAll']>) => reads.readAll(...asked),
      head: () => reads.head(),
    };
    const replayer = new RangeReplayer({ reads: changing, codec, ring, clock: () => 0 });
    const ids = jobsIn(log);
    expect(await replayer.replay(ids)).toMatchObject({ match: ids.length, open: [] });
    const [snapshot] = streamsOf(log, 'snapshot').filter(([first]) => first!.text.includes('"kind":"router"'));
    const turned = (text: string): string => text.replace('"top_n":10', '"top_n":11');
    reads = new ArrayStore(
      log.map((event) => (event === snapshot![0] ? { ...event, text: turned(event.text) } : event)),
    );
    expect(await replayer.replay(ids)).toMatchObject({ match: 0, open: ids });
  });

  async function singly(events: readonly RecordedEvent[]): Promise<ReadonlyMap<string, Verdict | null>> {
    const store = new ArrayStore(events);
    const { codec } = app.parts.platform.events;
    const own = new EventLog(store, codec);
    const snapshots = new Snapshots(own, app.parts.platform.ring);
    const verdicts = new Map<string, Verdict | null>();
    for (const id of jobsIn(events)) {
      const found = await auditJob(own, snapshots, id).catch(() => null);
      verdicts.set(id, found?.verdict ?? null);
    }
    return verdicts;
  }

  function asRange(events: readonly RecordedEvent[]) {
    const { ring, events: live } = app.parts.platform;
    const replayer = new RangeReplayer({ reads: wholeReads(events), codec: live.codec, ring, clock: () => 0 });
    return replayer.replay(jobsIn(events));
  }
});

/** As a data folder gives streams whole: in the order of their revisions. */
function wholeReads(events: readonly RecordedEvent[]) {
  const readWhole = (streams: readonly string[]): ReadonlyMap<string, readonly RecordedEvent[]> =>
    new Map(
      streams
        .map((name) => [name, events.filter(({ stream }) => stream === name)] as const)
        .filter(([, all]) => all.length > 0),
    );
  return Object.assign(new ArrayStore(events), { readWhole });
}

function jobsIn(events: readonly RecordedEvent[]): readonly string[] {
  const streams = new Set(events.map(({ stream }) => stream).filter((stream) => stream.startsWith(jobStream(''))));
  return [...streams].map((stream) => stream.slice(jobStream('').length));
}

describe('a sweep of a log', () => {
  let app: JobApp;
  let tuff: Caller;
  let auditor: Caller;
  const sound: string[] = [];
  const tampered: string[] = [];

  beforeAll(async () => {
    app = await JobApp.open();
    [tuff, auditor] = [await app.caller('TUFF'), await app.caller('ann', ['auditor'])];
    for (const query of [
      '6*7',
      'Remember that my favorite color is blue',
      'my ssn is 078-05-1120',
      'What is 5% of 80?',
    ])
      sound.push(idOf((await tuff.ask(query)).body));
  });
  afterEach(async () => {
    // The next sweep is of what is there then.
    const { items } = (await auditor.get<{ items: SweepView[] }>('/replay/sweeps')).body;
    expect(items.filter(({ state }) => state === 'running')).toEqual([]);
  });
  afterAll(() => app.dispose({ tampered, unsealed: tampered.slice(-1) }));

  it('by threads of its own comes to the same', async () => {
    // More jobs than are replayed without threads.
    const many = await JobApp.open();
    const [person, asking] = [await many.caller('TUFF'), await many.caller('ann', ['auditor'])];
    const ids: string[] = [];
    for (let i = 0; i < 40; i++) ids.push(idOf((await person.ask(`What is ${i} + 2?`)).body));
    const all = async (): Promise<SweepView> => {
      const { body: begun } = await asking.send<SweepView>('POST', '/replay/sweeps', { threads: 2 });
      return ended(begun.sweep_id, asking);
    };
    expect((await all()).counts).toEqual({ MATCH: 40 });
    await resign(many, jobStream(ids[7]!), 'ROUTER_DECISION', { depth: 2 });
    tamper(many.folder, jobStream(ids[30]!), 'COUNCIL_DECISION', '"outcome":"', '"outcome": "');
    // The same threads look at them again.
    const view = await all();
    expect(view.unmatched.map(({ job_id, error_code }) => [job_id, error_code])).toEqual([
      [ids[7], 'REPLAY_DIVERGENCE'],
      [ids[30], 'INTEGRITY_FAILURE'],
    ]);
    expect(view).toMatchObject({ state: 'done', processed: 40, counts: { MATCH: 38 }, authoritative: true });
    await many.dispose({ tampered: [ids[7]!, ids[30]!] });
  });

  it('in which every job matches counts them, and records its beginning and its end and no replay', async () => {
    const before = await replays();
    const view = await swept({ threads: 2 });
    expect(view).toMatchObject({
      state: 'done',
      threads: 2,
      processed: sound.length,
      total: sound.length,
      counts: { MATCH: sound.length },
      unmatched: [],
      unmatched_total: 0,
      authoritative: true,
      eta_seconds: 0,
      position: view.to,
    });
    expect(await replays()).toEqual(before);
    // On a machine that takes ten seconds for it, how far it was stands between them.
    const events = (await app.stream('system-replay-sweeps')).filter(({ type }) => type !== 'REPLAY_SWEEP_PROGRESS');
    expect(events.map(({ type }) => type)).toEqual(['REPLAY_SWEEP_REQUEST', 'REPLAY_SWEEP_SUMMARY']);
    expect(events[1]!.metadata.event_id).toBe(view.summary_event_id);
  });

  it('tells of each job that is no match what its replay tells, and records that replay', async () => {
    const bad = async (): Promise<string> => {
      const id = idOf((await tuff.ask('6*7')).body);
      tampered.push(id);
      return id;
    };
    await resign(app, jobStream(await bad()), 'ROUTER_DECISION', { depth: 2 });
    await resign(app, jobStream(await bad()), 'REFLECTIVE_LOG_WRITTEN', { final_confidence: 0.01 });
    await resignAs(app, jobStream(await bad()), { actor: { id: 'user_eve', role: 'user' } });
    tamper(app.folder, jobStream(await bad()), 'COUNCIL_DECISION', '"outcome":"', '"outcome": "');
    remove(app.folder, jobStream(await bad()), 'JOB_ACCEPTED');
    remove(app.folder, jobStream(await bad()), 'AGENT_OUTPUT');
    tampered.push(
      await forgedJob(app, 'forged-in-a-sweep', { type: 'SNAPSHOTS_PINNED', change: { detector_version: '77' } }),
    );
    remove(app.folder, jobStream(await bad()), 'JOB_SEALED');

    const view = await swept({ threads: 1 });
    const told = new Map(view.unmatched.map((one) => [one.job_id, one]));
    expect([...told.keys()].sort()).toEqual([...tampered].sort());
    for (const job_id of tampered) {
      const { body } = await auditor.send<AnyBody & { verdict?: string }>('POST', '/replay/request', {
        job_id,
        mode: 'audit',
      });
      const { verdict, error_code } = told.get(job_id)!;
      expect([job_id, verdict, error_code]).toEqual([job_id, body.verdict ?? null, body.error_code]);
      const recorded = await auditor.get<{ verdict: string | null }>(`/replay/${told.get(job_id)!.replay_id}`);
      expect([recorded.status, recorded.body.verdict]).toEqual([200, verdict]);
    }
    const { MATCH, ...others } = view.counts;
    expect(MATCH).toBe(sound.length);
    expect(Object.values(others).reduce((sum, jobs) => sum + jobs, 0)).toBe(tampered.length);
    expect(others['MISMATCH']).toBeGreaterThanOrEqual(2);
    expect(others['CONFLICT']).toBe(1);
  });

  it('of a part of the log takes the jobs that begin in it, and another goes on where it ended', async () => {
    const whole = await swept({});
    const middle = (await app.parts.platform.eventStore.readStream(jobStream(sound[1]!))).events[0]!.position;
    const first = await swept({ to: middle });
    expect([first.processed, first.counts]).toEqual([2, { MATCH: 2 }]);
    const rest = await swept({ from: first.position });
    expect([rest.from, rest.processed + first.processed]).toEqual([middle, whole.processed]);
  });

  it('is answered to the same request again, refused another body, and found by its id', async () => {
    const key = { 'idempotency-key': 'sweep-1' };
    const once = await auditor.send<SweepView>('POST', '/replay/sweeps', {}, key);
    await ended(once.body.sweep_id);
    const again = await auditor.send<SweepView>('POST', '/replay/sweeps', {}, key);
    expect([once.status, again.body.sweep_id, again.body.state]).toEqual([202, once.body.sweep_id, 'done']);
    const other = await auditor.send('POST', '/replay/sweeps', { threads: 2 }, key);
    expect(other.body.error_code).toBe('IDEMPOTENCY_KEY_REUSED');
    expect((await auditor.get(`/replay/sweeps/rs-${'0'.repeat(32)}`)).status).toBe(404);
    expect((await auditor.send('POST', '/replay/sweeps', { from: '99999999' })).body.error_code).toBe('INVALID_INPUT');
    expect((await tuff.send('POST', '/replay/sweeps', {})).status).toBe(403);
  });

  it('that is cancelled says how far it came, and one that has ended stays as it is', async () => {
    const { body: begun } = await auditor.send<SweepView>('POST', '/replay/sweeps', {});
    const { body: view } = await auditor.send<SweepView>('POST', `/replay/sweeps/${begun.sweep_id}/cancel`, {});
    expect(['cancelled', 'done']).toContain(view.state);
    expect(view.summary_event_id).toMatch(/^[0-9a-f]{64}$/);
    const again = await auditor.send<SweepView>('POST', `/replay/sweeps/${begun.sweep_id}/cancel`, {});
    expect(again.body).toMatchObject({ state: view.state, position: view.position, processed: view.processed });
  });

  it('names each job of which a snapshot is gone, and takes it off the list once it is back', async () => {
    const own = await JobApp.open();
    const { body } = await (await own.caller('TUFF')).ask('6*7');
    const asking = await own.caller('ann', ['auditor']);
    const putBack = remove(own.folder, snapshotStream(body.snapshots['router']!));
    const swept = async (): Promise<SweepView> =>
      ended((await asking.send<SweepView>('POST', '/replay/sweeps', {})).body.sweep_id, asking);
    const listed = async (): Promise<readonly string[]> =>
      (await asking.get<{ items: readonly { job_id: string }[] }>('/jobs/unreplayable')).body.items.map(
        ({ job_id }) => job_id,
      );
    expect((await swept()).counts).toEqual({ MISSING_SNAPSHOT: 1 });
    await eventually(async () => ((await listed()).includes(body.job_id) ? true : null));
    putBack();
    expect((await swept()).counts).toEqual({ MATCH: 1 });
    await eventually(async () => ((await listed()).length === 0 ? true : null));
    await own.dispose();
  });

  const replays = async () => (await everyEvent(app)).filter(({ stream }) => stream.startsWith('replay-')).length;

  async function swept(body: object): Promise<SweepView> {
    const { body: begun } = await auditor.send<SweepView>('POST', '/replay/sweeps', body);
    return ended(begun.sweep_id);
  }

  function ended(id: string, asking = auditor): Promise<SweepView> {
    return eventually(async () => {
      const { body } = await asking.get<SweepView>(`/replay/sweeps/${id}`);
      return body.state === 'running' ? null : body;
    }, 'the end of a sweep');
  }
});

function idOf(body: AnyBody): string {
  return body.job_id ?? (body.meta['job_id'] as string);
}
