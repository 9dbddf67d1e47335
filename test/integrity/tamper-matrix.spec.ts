import { type ArtifactStore, DamagedArtifactError, emptyHead, EventLog, type RecordedEvent } from '#lib/event-store';
import { Snapshots } from '#lib/governance';
import {
  type ChainEnd,
  type Detector,
  type Fault,
  lookAt,
  type Range,
  RangeVerifier,
  walk,
  walkOf,
  type WalkState,
} from '#lib/integrity';
import { systemSeed, traceId } from '#lib/kernel';

import { lookersOn } from '../../apps/api/src/integrity/lookers.js';
import { integrityRules } from '../../apps/api/src/integrity/rules.js';
import { signedTree } from '../../apps/api/src/integrity/signed-tree.js';
import { ArrayStore, renumbered } from '../support/array-store.js';
import { everyEvent, STREAM_KINDS, type StreamKind, streamsOf, writeEveryStream } from '../support/every-stream.js';
import { JobApp } from '../support/job-app.js';
import { TAMPERINGS } from '../support/tamperings.js';

/** Small, so that chains run over many ranges. */
const RANGE_SIZE = 64;

let app: JobApp;
/** Two streams of every kind out of it: each cell walks all of this. */
let log: readonly RecordedEvent[];
let signedRoot: string | null = null;

beforeAll(async () => {
  app = await JobApp.open();
  await writeEveryStream(app);
  const whole = await everyEvent(app);
  const taken = new Set(STREAM_KINDS.flatMap((kind) => streamsOf(whole, kind).slice(0, 3).flat()));
  log = renumbered(whole.filter((event) => taken.has(event)));
  signedRoot = (await found(log)).state.root;
});
afterAll(() => app.dispose());

it('the log of which everything here is made is sound, and its tree is the one that is signed', async () => {
  const whole = await everyEvent(app);
  const { proof, eventStore } = app.parts.platform;
  const { faults, state } = await found(whole);
  const places = { digest: state.places!, every: RANGE_SIZE };
  expect(faults.filter(({ detector }) => detector !== 'proof')).toEqual([]);
  expect(state.counts).toMatchObject({ events: whole.length, jobs: 2, sealed_jobs: 2 });
  expect(await signedTree(proof, eventStore).faultOf(state.to, state.root, places)).toBe(null);
  expect(await found(log)).toMatchObject({ faults: [], state: { counts: { jobs: 2, sealed_jobs: 2 } } });
});

it.each(STREAM_KINDS.map((kind) => [kind] as const))(
  'whatever is done to a stream of kind %s is found by the check that is named for it',
  async (kind) => {
    const [target, other = otherThan(kind)] = streamsOf(log, kind);
    expect(target?.length).toBeGreaterThan(0);
    const missed: string[] = [];
    let tried = 0;
    for (const { name, detector, apply } of TAMPERINGS) {
      const changed = apply(log, target!, other);
      // A stream of one or two events has no middle, and one whose data is empty no byte of it.
      if (changed === null) continue;
      tried++;
      const { faults } = await found(changed);
      if (!detected(faults, detector, target![0]!.stream, other[0]!.stream))
        missed.push(`${name}: wanted ${detector}, found ${faults.map((one) => one.detector).join(', ') || 'nothing'}`);
    }
    expect(missed).toEqual([]);
    expect(tried).toBeGreaterThanOrEqual(TAMPERINGS.length - 6);
  },
);

it('one letter that was changed is one fault, though the log of its job refers to the event', async () => {
  const output = log.find(({ type }) => type === 'AGENT_OUTPUT')!;
  const text = output.text.replace('"signature":"', '"signature":"0').replace(/("signature":"[0-9a-f]{64})./, '$1');
  const { faults } = await found(log.map((event) => (event === output ? { ...event, text } : event)));
  const { stream, revision } = output;
  expect(faults).toMatchObject([{ detector: 'signature', stream, revision }, { detector: 'proof' }]);
});

describe('what is beside the streams', () => {
  it('a snapshot in place of another, signed anew with the key, is found by its id', async () => {
    const [, first, second] = streamsOf(log, 'snapshot').map((events) => events[0]!);
    const { codec } = app.parts.platform;
    const jobSeed = systemSeed('snapshots', 'swapped');
    const by = { jobSeed, sequenceIndex: 0, actor: { id: 'system', role: 'system' }, traceId: traceId(jobSeed) };
    const { type, data } = codec.decode(second!);
    const [forged] = codec.encode(emptyHead(first!.stream), [{ type, data }], by, new Map());
    const changed = log.map((event) => (event === first ? { ...event, id: forged!.id, text: forged!.text } : event));
    const { faults } = await found(changed);
    expect(faults.filter(({ detector }) => detector === 'snapshot')).toMatchObject([
      { stream: first!.stream, revision: 0 },
    ]);
  });

  it('an artifact that was removed, or changed, is found by the event that names it', async () => {
    const kept = streamsOf(log, 'forensic')[0]![0]!;
    const removed: Pick<ArtifactStore, 'get'> = { get: () => Promise.resolve(null) };
    const changed: Pick<ArtifactStore, 'get'> = { get: (name) => Promise.reject(new DamagedArtifactError(name)) };
    for (const artifacts of [removed, changed]) {
      const { faults } = await found(log, artifacts);
      expect(faults.every(({ detector }) => detector === 'artifact')).toBe(true);
      expect(faults.map(({ stream }) => stream)).toContain(kept.stream);
    }
  });

  it('a log that refers to another event than it holds is found, signed anew with the key or not', async () => {
    const { stream } = streamsOf(log, 'job')[0]![0]!;
    const { codec, events } = app.parts.platform;
    const job = await events.load(stream, { personal: 'plain' });
    const changed = job.events.map(({ type, data }) => ({
      type,
      data: type === 'AGENT_OUTPUT' ? { ...data, text: 'Your favorite color is white.' } : data,
    }));
    const { job_seed: jobSeed, job_id: jobId, actor, trace_id } = job.events[0]!.metadata;
    const by = { jobSeed, jobId: jobId!, actor, sequenceIndex: 0, traceId: trace_id };
    const unsealed = changed.map(({ type, data }) =>
      type === 'JOB_SEALED' ? { type, data: { count: data['count']! } } : { type, data },
    );
    const encoded = codec.encode(emptyHead(stream), unsealed, by, await codec.prepare(unsealed));
    const forged = log.map((event) => {
      const again = event.stream === stream ? encoded[event.revision] : undefined;
      return again ? { ...event, id: again.id, text: again.text } : event;
    });
    const { faults } = await found(forged);
    expect(faults.map(({ detector }) => detector)).toContain('log-reference');
  });
});

/** Whether the check that is named found it where it was done. */
function detected(faults: readonly Fault[], detector: Detector, target: string, other: string): boolean {
  const isOfLog = detector === 'proof' || detector === 'positions';
  return faults.some(
    (fault) => fault.detector === detector && (isOfLog || fault.stream === target || fault.stream === other),
  );
}

function otherThan(kind: StreamKind): readonly RecordedEvent[] {
  return streamsOf(log, kind === 'job' ? 'sem' : 'job')[0]!;
}

/** The walk over a log as it stands here. */
async function found(
  events: readonly RecordedEvent[],
  artifacts: Pick<ArtifactStore, 'get'> = app.parts.platform.artifacts,
): Promise<{ readonly faults: readonly Fault[]; readonly state: WalkState }> {
  const { platform } = app.parts;
  const { ring, registry, ciphers, codec, subjectKeys } = platform;
  const read = new EventLog(new ArrayStore(events), codec);
  const lookers = { ...lookersOn(read, new Snapshots(read, ring), platform.artifacts, subjectKeys), artifacts };
  const rules = integrityRules(registry);
  const verifier = new RangeVerifier(rules, ring, {
    keys: async (kids) =>
      new Map(
        await Promise.all(
          kids.map(async (kid) => {
            const cipher = await ciphers.forKid(kid);
            return [kid, cipher === 'destroyed' ? cipher : cipher.dataKey] as const;
          }),
        ),
      ),
  });
  const faults: Fault[] = [];
  const ends = new Map<string, ChainEnd>();
  const to = Number(events.at(-1)!.position);
  const state = await walk(walkOf('iv-test', 'user_ann', '2026-01-05T10:00:00.000Z', to), {
    rules,
    rangeSize: RANGE_SIZE,
    workers: [
      {
        depth: 1,
        verify: (range) =>
          verifier.verify(range, (part) => ({ range: part, events: between(events, part), unreadable: [] })),
      },
    ],
    place: { get: (name) => ends.get(name), set: (name, end) => void ends.set(name, end), checkpoint: () => undefined },
    host: {
      look: (looks) => lookAt(looks, lookers),
      onProgress: () => undefined,
      onFaults: (some) => void faults.push(...some),
    },
  });
  const reason = proofFault(state);
  if (reason !== null) faults.push({ detector: 'proof', stream: null, revision: null, position: null, reason });
  return { faults, state };
}

function between(events: readonly RecordedEvent[], { after, to }: Range): readonly RecordedEvent[] {
  return events.filter(({ position }) => Number(position) > after && Number(position) <= to);
}

/** As a Merkle log says it that was signed over the log before it was changed. */
function proofFault({ to, root }: WalkState): string | null {
  if (signedRoot === null) return null;
  if (to < log.length) return `it ends with event ${to}, and ${log.length} are signed`;
  return root === signedRoot ? null : 'its tree is another than is signed';
}
