import type { EventLog, Fold } from '#lib/event-store';
import { canonicalize, MaceError, sha256Hex, systemSeed, traceId, type Json, type Provenance } from '#lib/kernel';

import { SYSTEM_PRINCIPAL } from './access-rules.js';
import type { WorldFact } from './data/seed-data.js';
import { formatCanonicalKey, identityText, parseCanonicalKey } from './domain/canonical-key.js';
import { normalize } from './domain/normalize.js';
import { memoryEvent, type WorldFactsLoaded } from './domain/sem.events.js';
import type { IdentityRegistry } from './identity-registry.js';
import type { SemWriter } from './sem-writer.js';

const STREAM = 'system-world-facts';
/** Appends in flight: enough to fill a group commit. */
const BATCH = 64;

interface Loads {
  /** How many loads were finished; numbers the seeds of the next. */
  readonly count: number;
  readonly newest?: WorldFactsLoaded;
}

const LOADS_FOLD: Fold<Loads> = {
  name: 'world-facts',
  initial: { count: 0 },
  evolve: ({ count }, event) => ({ count: count + 1, newest: event.data as unknown as WorldFactsLoaded }),
};

/** What a load did; `unchanged` after one look at one stream. */
export interface WorldFactsOutcome {
  readonly loaded: number;
  readonly unchanged: boolean;
}

/**
 * Gives memory the facts of the world, once: at the first start all of them, later only new and changed ones, so that
 * what an admin corrected since stays. The usual spellings of what they are about are registered as theirs. Seeds follow from key and load, so that a load that a crash cut short goes on
 * where it stopped and writes nothing twice. What a file no longer holds stays in memory.
 * @throws MaceError STORAGE_FULL, SEM_WRITE_FAIL; Error where a fact is not fit to be stored
 */
export async function loadWorldFacts(
  log: EventLog,
  writer: SemWriter,
  registry: IdentityRegistry,
  facts: readonly WorldFact[],
  now: number,
): Promise<WorldFactsOutcome> {
  const hashes = new Map(facts.map((fact) => [keyOf(fact), sha256Hex(canonicalize(contentOf(fact)))] as const));
  const file_hash = sha256Hex(canonicalize(Object.fromEntries(hashes)));
  const { state } = await log.fold(STREAM, LOADS_FOLD);
  if (state.newest?.file_hash === file_hash) return { loaded: 0, unchanged: true };

  const known = state.newest?.facts ?? {};
  const changed = facts.filter((fact) => known[keyOf(fact)] !== hashes.get(keyOf(fact)));
  // Before a fact can be read, so that nobody's spelling takes its place.
  await inBatches([...spellingsOf(changed)], ([id, spellings]) => claim(registry, id, spellings, state.count));
  await inBatches(changed, (fact) => put(writer, fact, state.count, now));
  await log.execute({
    stream: STREAM,
    fold: LOADS_FOLD,
    provenance: provenance(`load:${state.count}`),
    // Another process that started at the same time loaded the same under the same seeds.
    decide: ({ newest }) =>
      newest?.file_hash === file_hash
        ? []
        : [memoryEvent('WORLD_FACTS_LOADED', { file_hash, facts: Object.fromEntries(hashes) })],
  });
  return { loaded: changed.length, unchanged: false };
}

async function inBatches<T>(all: readonly T[], work: (one: T) => Promise<void>): Promise<void> {
  for (let from = 0; from < all.length; from += BATCH) await Promise.all(all.slice(from, from + BATCH).map(work));
}

/** How people may write the entities of facts, by `entity_type/entity_id`: as the id, its words, or a phrase for it. */
function spellingsOf(facts: readonly WorldFact[]): Map<string, Set<string>> {
  const spellings = new Map<string, Set<string>>();
  for (const fact of facts) {
    const { entity_type, entity_id, aliases } = fact;
    const id = `${entity_type}/${entity_id}`;
    const known = spellings.get(id) ?? new Set();
    const words = [entity_id, entity_id.replaceAll('_', ' '), entity_id.replaceAll('_', '-')];
    for (const text of [...words, ...aliases]) if (normalize(text) === entity_id) known.add(identityText(text));
    spellings.set(id, known);
  }
  return spellings;
}

async function claim(registry: IdentityRegistry, id: string, spellings: Iterable<string>, load: number): Promise<void> {
  const { scope, entityType, entityId } = parseCanonicalKey(`world/${id}/identity`);
  await registry.claim({ scope, entityType, entityId }, [...spellings], provenance(`identity:${id}:${load}`));
}

async function put(writer: SemWriter, fact: WorldFact, load: number, now: number): Promise<void> {
  const key = keyOf(fact);
  const outcome = await writer.put({
    key,
    ...contentOf(fact),
    principal: SYSTEM_PRINCIPAL,
    provenance: provenance(`${key}:${load}`),
    now,
    repeats: { fromRevision: 0 },
  });
  if (outcome.outcome === 'blocked')
    throw new Error(`world fact ${key} reads as personal data (${outcome.flagged.pii_type})`);
  if (outcome.outcome === 'failed') throw new MaceError(outcome.error_code, `world fact ${key} could not be stored`);
}

function keyOf({ entity_type, entity_id, attribute }: WorldFact): string {
  return formatCanonicalKey(parseCanonicalKey(`world/${entity_type}/${entity_id}/${attribute}`));
}

function contentOf({ value, source }: WorldFact): {
  readonly value: Json;
  readonly meta: { readonly reference: string };
} {
  return { value, meta: { reference: source } };
}

function provenance(occurrence: string): Provenance {
  const jobSeed = systemSeed('world-facts', occurrence);
  return { jobSeed, sequenceIndex: 0, actor: { id: 'system', role: 'system' }, traceId: traceId(jobSeed) };
}
