import { StoreUnavailableError } from '#lib/event-store';
import { MaceError } from '#lib/kernel';

import { MemoryEventStore } from '#lib/event-store';
import { readSynonyms, readWorldFacts, type WorldFact } from './data/seed-data.js';
import { AliasMap } from './domain/aliases.js';
import { FaultyStore } from './testing/faulty-store.js';
import { ADMIN, ctxOf, memoryProcess, NOON, TUFF, type MemoryProcess } from './testing/memory-harness.js';
import { worldFactAliases } from './world-fact-aliases.js';
import { loadWorldFacts } from './world-facts.js';

const OHM = 'world/fact/ohms_law/definition';

let store: FaultyStore;
let memory: MemoryProcess;
beforeEach(() => {
  store = new FaultyStore(new MemoryEventStore());
  memory = memoryProcess({ store });
});

describe('the facts of the world', () => {
  it('are stored once each, by the system, with their reference', async () => {
    expect(await load(facts(150))).toEqual({ loaded: 150, unchanged: false });
    expect(await memory.memory.get('world/fact/fact_7/definition')).toMatchObject({
      value: 'Fact number 7.',
      source: 'system',
      meta: { reference: 'Book of facts' },
    });
    const [event] = await memory.events('sem-world/fact/fact_7/definition');
    expect(event!.metadata.actor).toEqual({ id: 'system', role: 'system' });
    expect(await load(facts(150))).toEqual({ loaded: 0, unchanged: true });
    // Each fact's own event, three spellings of what it is about, and the load.
    expect(await memory.store.head()).toBe(String(4 * 150 + 1));
  });

  it('are each stored once whatever append a crash came after', async () => {
    for (let crash = 1; crash <= 21; crash++) {
      store = new FaultyStore(new MemoryEventStore());
      memory = memoryProcess({ store });
      store.fault = () =>
        store.attempts.length > crash ? { error: new StoreUnavailableError('crash'), when: 'before' } : undefined;
      await load(facts(10)).catch((error: unknown) => {
        if (!(error instanceof MaceError || error instanceof StoreUnavailableError)) throw error;
      });
      store.fault = () => undefined;
      memory = memoryProcess({ store });
      await load(facts(10), NOON + 1000);
      expect(await memory.store.head()).toBe(String(4 * 10 + 1));
    }
  });

  it('are stored once where two processes start together', async () => {
    const other = memoryProcess({ store });
    await Promise.all([load(facts(20)), loadWorldFacts(other.log, other.writer, other.registry, facts(20), NOON + 5)]);
    expect(await memory.store.head()).toBe(String(4 * 20 + 1));
  });

  it('that are new or changed in a later release are loaded, and what an admin corrected stays', async () => {
    const [first, second, third] = [fact('a', 'A'), fact('b', 'B'), fact('c', 'C')];
    await load([first, second]);
    await memory.writes.put(ctxOf(ADMIN, { now: NOON + 10 }), {
      key: 'world/fact/a/definition',
      value: 'A, corrected',
    });
    expect(await load([first, { ...second, value: 'B2' }, third], NOON + 20)).toEqual({ loaded: 2, unchanged: false });
    const values = ['a', 'b', 'c'].map(async (id) => (await memory.memory.get(`world/fact/${id}/definition`)).value);
    expect(await Promise.all(values)).toEqual(['A, corrected', 'B2', 'C']);
    await load([first, second, third], NOON + 30);
    expect((await memory.memory.get('world/fact/b/definition')).value).toBe('B');
  });

  it('keep their keys, whoever spells them first', async () => {
    await load([{ ...fact('ohms_law', 'U = RI'), aliases: ["ohm's law", 'OHMS  law', 'current and voltage'] }]);
    const key = (entityIdRaw: string) =>
      memory.keyRegistration.register(ctxOf(TUFF), {
        scope: 'world',
        entityType: 'fact',
        entityIdRaw,
        attributeRaw: 'definition',
      });
    for (const raw of ['ohms-law', 'Ohms Law', 'ohms_law', 'ohms  law']) expect(await key(raw)).toBe(OHM);
    expect(await key('Ohms Law!')).toMatch(/^world\/fact\/ohms_law-[0-9a-f]{6}\/definition$/);
    expect(await key('Ohms Law')).toBe(OHM);
  });

  it('leave to whoever registered a spelling earlier what it has', async () => {
    const register = (entityIdRaw: string) =>
      memory.keyRegistration.register(ctxOf(TUFF), {
        scope: 'world',
        entityType: 'fact',
        entityIdRaw,
        attributeRaw: 'definition',
      });
    await register('Ohms Law!');
    const second = await register('Ohms Law');
    expect(second).not.toBe(OHM);
    await load([fact('ohms_law', 'U = RI')]);
    expect(await register('Ohms Law')).toBe(second);
    expect(await register('ohms-law')).toBe(OHM);
  });

  it('of the program itself are fit to be stored, and phrases reach them', async () => {
    const all = readWorldFacts();
    expect(all.length).toBeGreaterThanOrEqual(200);
    expect(await load(all)).toEqual({ loaded: all.length, unchanged: false });
    expect((await memory.memory.get(OHM)).exists).toBe(true);
    const aliases = new AliasMap([...Object.entries(readSynonyms()), ...worldFactAliases(all)]);
    expect(aliases.resolveAlias("What is Ohm's law?", null)).toBe(OHM);
  });
});

function load(what: readonly WorldFact[], now = NOON) {
  return loadWorldFacts(memory.log, memory.writer, memory.registry, what, now);
}

function facts(count: number): WorldFact[] {
  return Array.from({ length: count }, (_, i) => fact(`fact_${i}`, `Fact number ${i}.`));
}

function fact(entity_id: string, value: string): WorldFact {
  return { entity_type: 'fact', entity_id, attribute: 'definition', value, source: 'Book of facts', aliases: [] };
}
