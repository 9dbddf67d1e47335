import type { EventLog, Fold } from '#lib/event-store';
import { canonicalize, MaceError, sha256Hex, systemSeed, traceId, type Json, type Provenance } from '#lib/kernel';

import { SYSTEM_PRINCIPAL } from './access-rules.js';
import type { WorldFact } from './data/seed-data.js';
import { formatCanonicalKey, parseCanonicalKey } from './domain/canonical-key.js';
import { memoryEvent, type WorldFactsLoaded } from './domain/sem.events.js';
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
 * what an admin corrected since stays. Seeds follow from key and load, so that a load that a crash cut short goes on
 * where it stopped and writes nothing twice. What a file no longer holds stays in memory.
 * @throws MaceError STORAGE_FULL, SEM_WRITE_FAIL; Error where a fact is not fit to be stored
 */
export async function loadWorldFacts(
  log: EventLog,
  writer: SemWriter,
  facts: readonly WorldFact[],
  now: number,
): Promise<WorldFactsOutcome> {
  const hashes = new Map(facts.map((fact) => [keyOf(fact), sha256Hex(canonicalize(contentOf(fact)))] as const));
  const file_hash = sha256Hex(canonicalize(Object.fromEntries(hashes)));
  const { state } = await log.fold(STREAM, LOADS_FOLD);
  if (state.newest?.file_hash === file_hash) return { loaded: 0, unchanged: true };

  const known = state.newest?.facts ?? {};
  const changed = facts.filter((fact) => known[keyOf(fact)] !== hashes.get(keyOf(fact)));
  for (let from = 0; from < changed.length; from += BATCH) {
    await Promise.all(changed.slice(from, from + BATCH).map((fact) => put(writer, fact, state.count, now)));
  }
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
