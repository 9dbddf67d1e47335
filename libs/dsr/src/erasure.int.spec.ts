import {
  emptyHead,
  EventCodec,
  EventLog,
  kidOf,
  MemoryEventStore,
  START,
  SubjectCiphers,
  UNWRAPPED_KEY_MS,
} from '#lib/event-store';
import { fixtureKeyRing } from '#lib/access';
import { jobEvents } from '#lib/jobs';
import { type DomainEvent, EventRegistry, sha256Hex, traceId } from '#lib/kernel';
import { memoryEvents } from '#lib/memory';
import { moduleEvents } from '#lib/selfrep';

import { MemoryArtifacts } from '../../event-store/src/memory/memory-artifacts.js';
import { MemorySubjectKeys } from '../../event-store/src/memory/memory-subject-keys.js';
import { dsrEvent, dsrEvents, dsrStream, LEGAL_HOLDS_STREAM, type SubjectErased } from './domain/dsr.events.js';
import { MOST_KEYS_LISTED } from './domain/manifest.js';
import { Erasure } from './erasure.js';
import type { SubjectJobs } from './ports.js';

const ID = `dr-${'1'.repeat(32)}`;
const TUFF = 'user_tuff';
const COLOR = 'user/profile/user_tuff/favorite_color';
const PET = 'user/profile/user_tuff/pet';
const GONE = 'user/profile/user_tuff/gone';
const NOW = Date.parse('2026-11-21T12:00:00.000Z');
const AT = new Date(NOW).toISOString();
const JOB = 'job:1';

const put = (key: string, value: string): DomainEvent => ({
  type: 'SEM_PUT',
  data: { key, value, source: 'user', timestamp: AT, applied: true, value_hash: 'h' },
});
const deletion = (key: string): DomainEvent => ({ type: 'sem_delete', data: { key, source: 'user', timestamp: AT } });

/** What a crash leaves: everything that is kept on disk, and the unsealed job. */
interface Disk {
  readonly store: MemoryEventStore;
  readonly keys: MemorySubjectKeys;
  readonly artifacts: MemoryArtifacts;
  readonly unsealed: Set<string>;
  readonly evidence: { readonly free: string; readonly held: string };
}

/** A process on a disk. `effect` is called around each of its effects. */
function processOn(
  disk: Disk,
  effect: (name: string, act: () => Promise<unknown>) => Promise<unknown>,
  told: string[] = [],
) {
  const ring = fixtureKeyRing();
  const registry = new EventRegistry([dsrEvents, memoryEvents, jobEvents, moduleEvents].flat());
  const watched = <T extends object>(part: T, name: string, methods: readonly string[]): T =>
    new Proxy(part, {
      get: (target, property) => {
        const value: unknown = Reflect.get(target, property);
        if (typeof value !== 'function') return value;
        const act = value.bind(target) as (...args: unknown[]) => Promise<unknown>;
        return methods.includes(String(property))
          ? (...args: unknown[]) => effect(`${name}.${String(property)}`, () => act(...args))
          : act;
      },
    });
  const keys = watched(disk.keys, 'keys', ['refuse', 'destroy', 'readmit']);
  const ciphers = new SubjectCiphers(keys, ring);
  const store = watched(disk.store, 'log', ['append']);
  const log = new EventLog(store, new EventCodec(registry, ring, ciphers));
  const jobs: SubjectJobs = {
    stop: () => Promise.resolve(),
    unfinished: (ids) => Promise.resolve(ids.filter((id) => disk.unsealed.has(id))),
    close: (ids) =>
      effect('jobs.close', () => {
        for (const id of ids) disk.unsealed.delete(id);
        return Promise.resolve();
      }) as Promise<void>,
  };
  const waits: number[] = [];
  const erasure = new Erasure({
    log,
    registry,
    keys,
    artifacts: watched(disk.artifacts, 'artifacts', ['put']),
    evidence: {
      erase: async (ref) => {
        await effect('evidence.erase', () => disk.artifacts.delete(ref));
      },
    },
    forget: (subject) => ciphers.forget(subject),
    places: [
      {
        purge: (_, kids) =>
          effect('place.purge', () =>
            Promise.resolve([{ kind: 'read_model', name: 'sem', found: kids.length, fate: 'unreadable' }]),
          ) as Promise<never>,
      },
    ],
    jobs,
    alarm: {
      raise: async ({ type }) => void told.push(`raised ${type}`),
      end: async ({ type }) => void told.push(`ended ${type}`),
    },
    clock: {
      now: () => NOW,
      waitUntil: (until) => {
        waits.push(until);
        return effect('clock.wait', () => Promise.resolve()) as Promise<void>;
      },
    },
  });
  return { log, erasure, waits };
}

const directly = (_: string, act: () => Promise<unknown>): Promise<unknown> => act();

/** A person with memory, a job under way, evidence, and an approved deletion; and somebody else. */
async function disk({ isHeld = true } = {}): Promise<Disk> {
  const artifacts = new MemoryArtifacts();
  const evidence = {
    free: await artifacts.put(Buffer.from('what a module did')),
    held: await artifacts.put(Buffer.from('what a court asks for')),
  };
  const made: Disk = {
    store: new MemoryEventStore(),
    keys: new MemorySubjectKeys(),
    artifacts,
    unsealed: new Set([JOB, 'job:other']),
    evidence,
  };
  const { log } = processOn(made, directly);
  let seeds = 0;
  const append = async (stream: string, events: readonly DomainEvent[], jobId?: string): Promise<void> => {
    const jobSeed = `seed-${seeds++}`;
    const actor = { id: TUFF, role: 'user' };
    const job = jobId === undefined ? {} : { jobId };
    await log.append(emptyHead(stream), events, {
      jobSeed,
      sequenceIndex: 0,
      actor,
      traceId: traceId(jobSeed),
      ...job,
    });
  };
  await append(`sem-${COLOR}`, [put(COLOR, 'blue'), put(COLOR, 'green')]);
  await append(`sem-${PET}`, [put(PET, 'dog')]);
  await append(`sem-${GONE}`, [put(GONE, 'x'), deletion(GONE)]);
  await append('sem-user/profile/user_eve/pet', [put('user/profile/user_eve/pet', 'cat')]);
  const accepted = {
    job_id: JOB,
    query_id: 'q',
    user_id: TUFF,
    source: 'api',
    created_at: AT,
    query_text: 'a question',
  };
  const violation = (ref: string): DomainEvent => ({
    type: 'POLICY_VIOLATION',
    data: { node_id: 'n', job_id: JOB, evidence_ref: ref },
  });
  // Evidence goes its own way, before the job it is of is stored.
  await append('module-n', [violation(evidence.free), violation(evidence.held)]);
  await append(`job-${JOB}`, [{ type: 'JOB_ACCEPTED', data: accepted }], JOB);
  if (isHeld) await append(LEGAL_HOLDS_STREAM, [holdOn(evidence.held)]);
  await append(dsrStream(ID), approvedDeletion(ID));
  return made;
}

function holdOn(evidence_ref: string): DomainEvent {
  const hold = { hold_id: 'lh-1', evidence_ref, reason: 'order 12', placed_by: 'user_ada', placed_at: AT };
  return dsrEvent('LEGAL_HOLD_PLACED', hold);
}

function approvedDeletion(dsr_id: string): DomainEvent[] {
  return [
    dsrEvent('DSR_REQUEST', {
      dsr_id,
      kind: 'delete',
      user_id: TUFF,
      requested_by: TUFF,
      requested_at: AT,
      identity_method: 'otp',
    }),
    dsrEvent('DSR_DELETE_REQUEST', { dsr_id, user_id: TUFF }),
    dsrEvent('DSR_APPROVED', { dsr_id, approved_by: 'user_ada', approved_at: AT }),
  ];
}

/** Lets a process react to the log from `from` on, until nothing is left; answers how far it came. */
async function follow({ log, erasure }: ReturnType<typeof processOn>, from: { at: typeof START }): Promise<void> {
  for (;;) {
    const { events } = await log.store.readAll({ after: from.at, limit: 1, types: erasure.types });
    const [recorded] = events;
    if (!recorded) return;
    await erasure.react(log.codec.decode(recorded));
    from.at = recorded.position;
  }
}

/** Everything that must be the same however often the process died; drawn kids and ciphertexts are not. */
async function finalState({ store, keys, artifacts, unsealed, evidence }: Disk) {
  const types = async (stream: string): Promise<string[]> =>
    (await store.readStream(stream)).events.map(({ type }) => type);
  const { log } = processOn({ store, keys, artifacts, unsealed, evidence }, directly);
  const { events } = await log.load(dsrStream(ID), { personal: 'plain' });
  const { deletion_manifest: manifest } = events.at(-1)!.data as unknown as SubjectErased;
  const list = await artifacts.get(manifest.events.list);
  return {
    streams: {
      dsr: await types(dsrStream(ID)),
      color: await types(`sem-${COLOR}`),
      pet: await types(`sem-${PET}`),
      gone: await types(`sem-${GONE}`),
      eve: await types('sem-user/profile/user_eve/pet'),
    },
    keys: (await keys.listFor(TUFF)).map(({ state }) => state),
    eve: (await keys.listFor('user_eve')).map(({ state }) => state),
    destroyed: manifest.data_keys.length,
    sem_keys: manifest.sem_keys,
    counts: [manifest.events.count, manifest.events.by_type],
    listed: (JSON.parse(Buffer.from(list!).toString()) as unknown[]).length,
    forensic: manifest.forensic.map(({ fate, legal_hold }) => [fate, legal_hold]),
    free: await artifacts.get(evidence.free),
    held: (await artifacts.get(evidence.held)) !== null,
    places: manifest.places,
    jobs: [manifest.jobs_closed, [...unsealed]],
    readmitted: (await keys.create(TUFF, { kid: 'new', wrapped: 'w', wrappedBy: 'k' })).state,
  };
}

describe('an erasure', () => {
  it('empties memory, destroys the keys, waits out their lease, removes every copy and says so', async () => {
    const made = await disk();
    const kids = (await made.keys.listFor(TUFF)).map(kidOf);
    const running = processOn(made, directly);
    await follow(running, { at: START });
    expect(running.waits).toEqual([NOW + UNWRAPPED_KEY_MS]);
    expect(kids).toHaveLength(1);
    expect(await finalState(made)).toMatchObject({
      streams: {
        dsr: [
          'DSR_REQUEST',
          'DSR_DELETE_REQUEST',
          'DSR_APPROVED',
          'ERASURE_REQUESTED',
          'SUBJECT_KEYS_DESTROYED',
          'SUBJECT_ERASED',
        ],
        color: ['SEM_PUT', 'SEM_PUT', 'sem_delete'],
        pet: ['SEM_PUT', 'sem_delete'],
        gone: ['SEM_PUT', 'sem_delete'],
        eve: ['SEM_PUT'],
      },
      keys: ['destroyed'],
      eve: ['present'],
      sem_keys: [expect.objectContaining({ key: COLOR }), expect.objectContaining({ key: PET })],
      counts: [5, { SEM_PUT: 4, JOB_ACCEPTED: 1 }],
      listed: 5,
      forensic: [
        ['purged', null],
        ['kept', 'lh-1'],
      ],
      free: null,
      held: true,
      jobs: [[JOB], ['job:other']],
      readmitted: 'present',
    });
  });

  it('ends also for who has more keys than one event can name: the first are listed, all are counted and hashed', async () => {
    const made = await disk();
    const { log } = processOn(made, directly);
    const keys = Array.from(
      { length: 4200 },
      (_, i) => `user/${'t'.repeat(64)}/user_tuff/${String(i).padStart(64, 'a')}`,
    );
    for (const [i, key] of keys.entries()) {
      const jobSeed = `many-${i}`;
      const actor = { id: TUFF, role: 'user' };
      const provenance = { jobSeed, sequenceIndex: 0, actor, traceId: traceId(jobSeed) };
      await log.append(emptyHead(`sem-${key}`), [put(key, 'x')], provenance);
    }
    const asked = await made.store.readStream(dsrStream(ID));
    await follow(processOn(made, directly), { at: asked.events[0]!.position });
    const { events } = await log.load(dsrStream(ID), { personal: 'plain' });
    const { deletion_manifest: manifest } = events.at(-1)!.data as unknown as SubjectErased;
    expect(manifest.sem_keys).toHaveLength(MOST_KEYS_LISTED);
    expect(manifest.sem_keys_all).toEqual({
      count: keys.length + 2,
      hash: expect.stringMatching(/^[0-9a-f]{64}$/) as string,
    });
  });

  it('is owed where a step fails for the third time, and tells of it until the step succeeds', async () => {
    const made = await disk();
    const told: string[] = [];
    let isFailing = true;
    const failing = async (name: string, act: () => Promise<unknown>): Promise<unknown> => {
      if (isFailing && name === 'keys.destroy') throw new Error('no such key');
      return act();
    };
    const running = processOn(made, failing, told);
    const from = { at: START };
    const attempts: unknown[] = [];
    for (let i = 0; i < 4; i++) await follow(running, from).catch((error: unknown) => attempts.push(error));
    expect(attempts.map((error) => (error as Error).name)).toEqual([
      ...['Error', 'Error', 'OwedAnswerError', 'OwedAnswerError'],
    ]);
    expect(told).toEqual(['ended DSR_APPROVED', ...Array(2).fill('raised ERASURE_REQUESTED')]);
    isFailing = false;
    await follow(running, from);
    expect(told.slice(3)).toEqual(
      ['ERASURE_REQUESTED', 'SUBJECT_KEYS_DESTROYED', 'SUBJECT_ERASED'].map((type) => `ended ${type}`),
    );
  });

  it.each([
    [
      'filed before it ends is carried out too, and the person returns after both',
      '2026-11-21T11:00:00.000Z',
      'SUBJECT_ERASED',
    ],
    ['filed after it ended waits for somebody to decide', '2026-11-21T13:00:00.000Z', 'DSR_DELETE_REQUEST'],
  ])('of whom another deletion waits: what was %s', async (_, at, last) => {
    const made = await disk();
    const other = `dr-${'2'.repeat(32)}`;
    const by = { jobSeed: 'other', sequenceIndex: 0, actor: { id: TUFF, role: 'user' }, traceId: traceId('other') };
    const [request, queued] = approvedDeletion(other);
    const filed = [{ ...request!, data: { ...request!.data, requested_at: at } }, queued!];
    await processOn(made, directly).log.append(emptyHead(dsrStream(other)), filed, by);
    const readmitted: string[] = [];
    const running = processOn(made, async (name, act) => {
      const result = await act();
      if (name === 'keys.readmit') readmitted.push((await made.store.readStream(dsrStream(other))).events.at(-1)!.type);
      return result;
    });
    await follow(running, { at: START });
    expect(readmitted).toEqual([last]);
    const { events } = await running.log.load(dsrStream(other));
    expect(events.find(({ type }) => type === 'DSR_APPROVED')?.data['approved_by']).toBe(
      last === 'SUBJECT_ERASED' ? 'system' : undefined,
    );
  });

  it('keeps evidence on which a hold is placed while other evidence is erased', async () => {
    const made = await disk({ isHeld: false });
    const admin = processOn(made, directly).log;
    const by = {
      jobSeed: 'late-hold',
      sequenceIndex: 0,
      actor: { id: 'user_ada', role: 'admin' },
      traceId: traceId('x'),
    };
    let placed: Promise<unknown> | undefined;
    const running = processOn(made, async (name, act) => {
      if (name === 'evidence.erase')
        await (placed ??= admin.append(emptyHead(LEGAL_HOLDS_STREAM), [holdOn(made.evidence.held)], by));
      return act();
    });
    await follow(running, { at: START });
    expect(await finalState(made)).toMatchObject({
      forensic: [
        ['purged', null],
        ['kept', 'lh-1'],
      ],
      held: true,
    });
  });

  it('closes no job and deletes no evidence of others, and keeps nobody out, by what nobody signed', async () => {
    const made = await disk();
    const evidence_ref = await made.artifacts.put(Buffer.from('of somebody else'));
    const accepted = { job_id: 'job:other', query_id: 'q', user_id: TUFF, source: 'api', created_at: AT };
    const rows = [
      { stream: 'job-job:other', type: 'JOB_ACCEPTED', data: { ...accepted, query_text: 'a question' } },
      {
        stream: 'dsr-dr-x',
        type: 'ERASURE_REQUESTED',
        data: { dsr_id: 'dr-x', user_id: TUFF, kids: [], requested_at: AT },
      },
      { stream: 'module-o', type: 'POLICY_VIOLATION', data: { node_id: 'o', user_id: TUFF, evidence_ref } },
    ];
    for (const { stream, type, data } of rows) {
      const text = JSON.stringify({ data, metadata: { schema_version: 1 }, stream, type });
      await made.store.append(stream, 'none', [{ id: sha256Hex(text), type, text }]);
    }
    await follow(processOn(made, directly), { at: START });
    expect(await finalState(made)).toMatchObject({
      jobs: [[JOB], ['job:other']],
      counts: [5, expect.anything()],
      readmitted: 'present',
    });
    expect(await made.artifacts.get(evidence_ref)).not.toBeNull();
  });

  it('refuses the person’s keys before it says that it was begun, and until it says that it is done', async () => {
    const made = await disk();
    const seen: string[] = [];
    const state = async (): Promise<string> => (await made.keys.listFor(TUFF))[0]!.state;
    const running = processOn(made, async (name, act) => {
      const result = await act();
      const { events } = await made.store.readStream(dsrStream(ID), { backwards: true, limit: 1 });
      if (name === 'log.append' && events[0]!.type !== 'DSR_APPROVED') {
        const kid = `probe-${seen.length}`;
        const probe = await made.keys.create(TUFF, { kid, wrapped: 'w', wrappedBy: 'k' });
        seen.push(`${events[0]!.type}: ${await state()}, ${probe.state}`);
      }
      return result;
    });
    await follow(running, { at: START });
    expect(seen).toEqual([
      'ERASURE_REQUESTED: refused, refused',
      'SUBJECT_KEYS_DESTROYED: destroyed, refused',
      'SUBJECT_ERASED: destroyed, refused',
    ]);
  });

  it('broken off before or after any of its effects, and begun again, ends in the same final state', async () => {
    const names: string[] = [];
    const whole = await disk();
    await follow(
      processOn(whole, (name, act) => {
        names.push(name);
        return act();
      }),
      { at: START },
    );
    const expected = await finalState(whole);
    expect(new Set(names)).toEqual(
      new Set([
        'log.append',
        'keys.refuse',
        'keys.destroy',
        'clock.wait',
        'place.purge',
        'artifacts.put',
        'evidence.erase',
        'keys.readmit',
        'jobs.close',
      ]),
    );
    for (let broken = 0; broken < names.length; broken++) {
      for (const when of ['before', 'after'] as const) {
        const made = await disk();
        const from = { at: START };
        let effects = 0;
        const dying = processOn(made, async (_, act) => {
          const dies = effects++ === broken;
          if (dies && when === 'before') throw new Error('killed');
          const result = await act();
          if (dies) throw new Error('killed');
          return result;
        });
        await expect(follow(dying, from)).rejects.toThrow('killed');
        await follow(processOn(made, directly), from);
        const place = `${when} ${names[broken]!} (${broken})`;
        expect([place, await finalState(made)]).toEqual([place, expected]);
      }
    }
  });

  it('deletes what another process still stored while it might use a key, in the manifest too', async () => {
    const made = await disk();
    const other = processOn(made, directly);
    const LATE = 'user/profile/user_tuff/late';
    const written = [put(LATE, 'in time')];
    const prepared = await other.log.codec.prepare(written);
    expect(prepared).toBeDefined();
    const running = processOn(made, async (name, act) => {
      if (name === 'clock.wait') {
        const by = { jobSeed: 'seed-late', sequenceIndex: 0, actor: { id: TUFF, role: 'user' } };
        await other.log.append(emptyHead(`sem-${LATE}`), written, { ...by, traceId: traceId(by.jobSeed) });
      }
      return act();
    });
    await follow(running, { at: START });
    const state = await finalState(made);
    expect((await made.store.readStream(`sem-${LATE}`)).events.map(({ type }) => type)).toEqual([
      'SEM_PUT',
      'sem_delete',
    ]);
    expect(state.sem_keys.map(({ key }) => key)).toEqual([COLOR, PET, LATE]);
    expect(state.counts).toEqual([6, { SEM_PUT: 5, JOB_ACCEPTED: 1 }]);
  });

  it('readmits nobody whom another request has begun to erase meanwhile', async () => {
    const made = await disk();
    const OTHER = `dr-${'2'.repeat(32)}`;
    const names: string[] = [];
    let filed = false;
    const running = processOn(made, async (name, act) => {
      names.push(name);
      if (name === 'clock.wait' && !filed) {
        filed = true;
        await processOn(made, directly).log.append(emptyHead(dsrStream(OTHER)), approvedDeletion(OTHER), {
          jobSeed: 'seed-other',
          sequenceIndex: 0,
          actor: { id: TUFF, role: 'user' },
          traceId: traceId('seed-other'),
        });
      }
      return act();
    });
    await follow(running, { at: START });
    const { events } = await made.store.readStream(dsrStream(OTHER));
    expect(events.at(-1)!.type).toBe('SUBJECT_ERASED');
    expect(names.filter((name) => name === 'keys.readmit')).toHaveLength(1);
    expect((await made.keys.create(TUFF, { kid: 'new', wrapped: 'w', wrappedBy: 'k' })).state).toBe('present');
  });

  it('told again of every event of its past does nothing', async () => {
    const made = await disk();
    await follow(processOn(made, directly), { at: START });
    const head = await made.store.head();
    const effects: string[] = [];
    await follow(
      processOn(made, (name, act) => {
        effects.push(name);
        return act();
      }),
      { at: START },
    );
    expect(await made.store.head()).toBe(head);
    expect(effects.filter((name) => name !== 'keys.readmit' && name !== 'jobs.close')).toEqual([]);
  });

  it('does nothing for what its stream does not say', async () => {
    const made = await disk();
    const { erasure } = processOn(made, () => Promise.reject(new Error('an effect')));
    const told = (type: string, dsr_id: string): Promise<void> =>
      erasure.react({
        type,
        stream: dsrStream(dsr_id),
        data: { dsr_id },
        metadata: { event_id: 'e', trace_id: 't' } as never,
      });
    await told('DSR_APPROVED', `dr-${'9'.repeat(32)}`);
    for (const type of ['ERASURE_REQUESTED', 'SUBJECT_KEYS_DESTROYED', 'SUBJECT_ERASED']) await told(type, ID);
    await expect(told('DSR_APPROVED', ID)).rejects.toThrow('an effect');
  });
});
