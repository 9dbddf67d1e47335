import type { WorldFact } from './data/seed-data.js';
import type { AliasEntry } from './domain/aliases.js';

/** The phrases by which people ask for the facts of the world. */
export function worldFactAliases(facts: readonly WorldFact[]): AliasEntry[] {
  return facts.flatMap(({ entity_type, entity_id, attribute, aliases }) =>
    aliases.map((phrase) => [phrase, `world/${entity_type}/${entity_id}/${attribute}`] as const),
  );
}
