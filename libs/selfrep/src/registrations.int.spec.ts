import { type EventToAppend, type ExpectedVersion, MemoryEventStore, type NonEmpty } from '#lib/event-store';
import { MaceError, traceId } from '#lib/kernel';

import { RESERVATIONS_STREAM, RESERVED_MS } from './domain/reservations.js';
import type { GovernedCall } from './governed-modules.js';
import { selfrepProcess, type SelfrepProcess } from './testing/selfrep-process.js';

const NOW = Date.UTC(2026, 0, 1);
const [A, B, C] = ['tool:a_v1', 'tool:b_v1', 'tool:c_v1'] as const;
let drawn = 0;

function call(): GovernedCall {
  const jobSeed = `after:test:${drawn++}`;
  const actor = { id: 'system', role: 'system' };
  const provenance = { jobSeed, sequenceIndex: 0, actor, traceId: traceId(jobSeed) };
  return { request_id: 'ar-1', authority: 'council', reason: 'because', provenance, now: NOW };
}

/** Registers in one process: fulfilled, or what it was refused for. */
async function register(process: SelfrepProcess, node_id: string, ...dependencies: readonly string[]): Promise<string> {
  const module = { node_id, type: 'tool' as const, display_name: node_id, version: '1' };
  try {
    const on = dependencies.map((to) => ({ to, required: true }));
    await process.governed.register({ ...module, dependencies: on }, 'user_ada', call());
    return 'registered';
  } catch (error) {
    if (!(error instanceof MaceError)) throw error;
    return error.developerMessage;
  }
}

/** Fails appends of which the test says so. */
class FailingStore extends MemoryEventStore {
  refuse: (stream: string) => boolean = () => false;

  override append(stream: string, expected: ExpectedVersion, events: NonEmpty<EventToAppend>) {
    return this.refuse(stream) ? Promise.reject(new Error('the process dies')) : super.append(stream, expected, events);
  }
}

describe('registrations of several processes on one store', () => {
  let store: FailingStore;
  let now = NOW;
  const processes: SelfrepProcess[] = [];
  const started = async (): Promise<SelfrepProcess> => {
    const process = selfrepProcess({ store, now: () => now });
    processes.push(process);
    await process.directory.start();
    return process;
  };
  beforeEach(() => {
    store = new FailingStore();
    now = NOW;
  });
  afterEach(async () => {
    for (const { directory } of processes.splice(0)) await directory.stop();
  });

  it('of which two at once would close a cycle: one is refused, in each of 50 pairs', async () => {
    const [one, other] = [await started(), await started()];
    for (let i = 0; i < 50; i++) {
      const [a, b] = [`tool:a${i}_v1`, `tool:b${i}_v1`];
      const answers = await Promise.all([register(one, a, b), register(other, b, a)]);
      expect(answers.filter((answer) => answer === 'registered')).toHaveLength(1);
      expect(answers.find((answer) => answer !== 'registered')).toMatch(/^dependencies: a cycle, /);
    }
  });

  it('of which three at once would close a cycle: two are registered', async () => {
    const [one, two, three] = [await started(), await started(), await started()];
    const answers = await Promise.all([register(one, A, B), register(two, B, C), register(three, C, A)]);
    expect(answers.filter((answer) => answer === 'registered')).toHaveLength(2);
  });

  it('see a dependency that no directory has yet', async () => {
    const one = await started();
    const other = selfrepProcess({ store, now: () => now });
    expect(await register(one, A, B)).toBe('registered');
    expect(await register(other, B, A)).toBe(`dependencies: a cycle, ${B} -> ${A} -> ${B}`);
  });

  it('are held up by one that died on its way for ten minutes, and by itself not at all', async () => {
    const [one, other] = [await started(), await started()];
    store.refuse = (stream) => stream === `module-${A}`;
    await expect(register(one, A, B)).rejects.toThrow('the process dies');
    store.refuse = () => false;
    expect(await register(other, B, A)).toMatch(/a cycle/);
    now += RESERVED_MS + 1;
    expect(await register(other, B, A)).toBe('registered');
    expect(await register(one, A, B)).toMatch(/a cycle/);
    expect(await register(one, A)).toBe('registered');
  });

  it('are not held up by one that was registered in the end with other dependencies', async () => {
    const [one, other] = [await started(), await started()];
    store.refuse = (stream) => stream === `module-${A}`;
    await expect(register(one, A, B)).rejects.toThrow('the process dies');
    store.refuse = () => false;
    expect(await register(one, A, C)).toBe('registered');
    expect(await register(other, B, A)).toBe('registered');
  });

  it('are given up where they took so long that their reservation may not count any more', async () => {
    const one = await started();
    store.refuse = (stream) => {
      if (stream === RESERVATIONS_STREAM) now += RESERVED_MS / 2 + 1;
      return false;
    };
    expect(await register(one, A, B)).toMatch(/took too long/);
    expect(await store.streamVersion(`module-${A}`)).toBe(0);
  });

  it('reserve nothing where they depend on nothing, or are there already', async () => {
    const one = await started();
    expect(await register(one, A)).toBe('registered');
    expect(await register(one, A, B)).toMatch(/Cannot modify registration/);
    expect(await store.streamVersion(RESERVATIONS_STREAM)).toBe(0);
  });
});
