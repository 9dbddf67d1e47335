import { decideOutcomes, decideQuarantine, decideRelease, decideViolation } from './domain/decide.js';
import type { Module } from './domain/module.js';
import type { OutcomeType } from './domain/module.events.js';
import { recoveriesReaction } from './reactions.js';
import { one } from './testing/placed.js';
import { selfrepProcess, type SelfrepProcess } from './testing/selfrep-process.js';

const POET = 'agent:creative_v1';
const RECOVERY = 'a'.repeat(64);
const BY = { actor: { id: 'system', role: 'system' }, sequenceIndex: 0, traceId: 't'.repeat(32) };
const GOVERNED = { request_id: 'r', authority: 'council', reason: 'looked at' } as const;

describe('a module that went offline', () => {
  let process: SelfrepProcess;
  let counter = 0;
  beforeEach(async () => {
    process = selfrepProcess();
    await process.register(POET);
  });
  afterEach(() => process.directory.stop());

  const decided = (decide: (module: Module) => ReturnType<typeof decideViolation>) =>
    process.streams.execute(POET, { ...BY, jobSeed: `s${counter++}` }, (module) => decide(module!));
  const fails = (...types: readonly OutcomeType[]) =>
    decided((module) =>
      decideOutcomes(
        module,
        types.map((type) => one(type)),
        {},
        process.constants,
      ),
    );
  const events = () => process.events(POET);

  /** Its own events and the recovery, in this order, as the log gives them. */
  const react = async (recovery: string | null, ...more: readonly object[]): Promise<void> => {
    await process.directory.start();
    const reaction = recoveriesReaction(process.streams, process.directory, () => Promise.resolve(recovery));
    const own = (await events()).filter(({ type }) => type === 'NODE_OFFLINE');
    for (const event of [...own.map((event) => ({ ...event, stream: `module-${POET}` })), ...more])
      await reaction.react(event as never);
  };
  const recovered = {
    type: 'SERVICE_UNAVAILABLE',
    data: { service: 'language-engine', state: 'up' },
    metadata: { event_id: RECOVERY },
  };

  it('by its engine alone is degraded again as the engine is back, with the recovery as cause and its trust as it was', async () => {
    await fails('LLM_SERVICE_DOWN', 'LLM_SERVICE_DOWN', 'LLM_SERVICE_DOWN');
    const { apt } = (await process.streams.read(POET)).module!.health;
    await react(null, recovered, recovered);
    const back = (await events()).filter(({ type }) => type === 'MODULE_RECOVERED');
    expect(back).toHaveLength(1);
    expect(back[0]).toMatchObject({
      data: {
        node_id: POET,
        from: 'offline',
        health: { status: 'degraded', status_reason: 'its language engine is back', consecutive_failures: 0, apt },
      },
      metadata: { $causationId: RECOVERY },
    });
    expect(back[0]!.data['health']).not.toHaveProperty('engine_failures');
  });

  it.each(['AGENT_SUCCESS', 'AGENT_TIMEOUT'] as const)(
    'by its engine alone is degraded again as the engine is back, also after a late %s',
    async (late) => {
      await fails('LLM_SERVICE_DOWN', 'LLM_SERVICE_DOWN', 'LLM_SERVICE_DOWN');
      await fails(late);
      await react(null, recovered);
      expect((await events()).at(-1)).toMatchObject({ type: 'MODULE_RECOVERED' });
    },
  );

  it('by its engine alone, which was back before that was counted, is degraded again at once', async () => {
    await fails('LLM_SERVICE_DOWN', 'LLM_SERVICE_DOWN', 'LLM_SERVICE_DOWN');
    await react(RECOVERY);
    expect((await events()).at(-1)).toMatchObject({ type: 'MODULE_RECOVERED', metadata: { $causationId: RECOVERY } });
  });

  it('by its engine again, for failures that were counted after the recovery, comes back each time', async () => {
    for (let times = 1; times <= 2; times++) {
      await fails('LLM_SERVICE_DOWN', 'LLM_SERVICE_DOWN', 'LLM_SERVICE_DOWN');
      await react(RECOVERY);
      expect((await events()).filter(({ type }) => type === 'MODULE_RECOVERED')).toHaveLength(times);
    }
  });

  it('by its engine again waits for the next recovery where an earlier one is told once more', async () => {
    await fails('LLM_SERVICE_DOWN', 'LLM_SERVICE_DOWN', 'LLM_SERVICE_DOWN');
    await react(null, recovered);
    await fails('LLM_SERVICE_DOWN', 'LLM_SERVICE_DOWN', 'LLM_SERVICE_DOWN');
    await react(null, recovered);
    expect((await process.streams.read(POET)).module!.health.status).toBe('offline');
    await react(null, { ...recovered, metadata: { event_id: 'b'.repeat(64) } });
    expect((await process.streams.read(POET)).module!.health.status).toBe('degraded');
  });

  it.each<[string, () => Promise<unknown>]>([
    ['by failures of its own too', () => fails('AGENT_TIMEOUT', 'LLM_SERVICE_DOWN', 'LLM_SERVICE_DOWN')],
    [
      'by a violation, after a failure of its engine',
      async () => {
        await fails('LLM_SERVICE_DOWN');
        await decided((module) => decideViolation(module, {}));
      },
    ],
    [
      'by a violation, before a failure of its engine',
      async () => {
        await decided((module) => decideViolation(module, {}));
        await fails('LLM_SERVICE_DOWN');
      },
    ],
    [
      'by its engine, and then violated its policy',
      async () => {
        await fails('LLM_SERVICE_DOWN', 'LLM_SERVICE_DOWN', 'LLM_SERVICE_DOWN');
        await decided((module) => decideViolation(module, {}));
      },
    ],
    [
      'by its engine, and was quarantined and released since',
      async () => {
        await fails('LLM_SERVICE_DOWN', 'LLM_SERVICE_DOWN', 'LLM_SERVICE_DOWN');
        await decided((module) => decideQuarantine(module, GOVERNED));
        await decided((module) => decideRelease(module, GOVERNED));
      },
    ],
  ])('%s waits for people', async (_, goes) => {
    await goes();
    const before = (await events()).length;
    await react(null, recovered);
    expect(await events()).toHaveLength(before);
    expect((await process.streams.read(POET)).module!.health.status).toBe('offline');
  });

  it('waits while the outage lasts, and is not brought back by another service', async () => {
    await fails('LLM_SERVICE_DOWN', 'LLM_SERVICE_DOWN', 'LLM_SERVICE_DOWN');
    await react(
      null,
      { ...recovered, data: { service: 'cache', state: 'up' } },
      { ...recovered, data: { service: 'language-engine', state: 'down' } },
    );
    expect((await process.streams.read(POET)).module!.health.status).toBe('offline');
  });
});
