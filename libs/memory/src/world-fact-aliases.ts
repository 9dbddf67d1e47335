import { readSynonyms, readWorldFacts, type WorldFact } from './data/seed-data.js';
import { type AliasEntry, AliasMap } from './domain/aliases.js';

/** The phrases by which people ask for the facts of the world. */
export function worldFactAliases(facts: readonly WorldFact[]): AliasEntry[] {
  return facts.flatMap(({ entity_type, entity_id, attribute, aliases }) =>
    aliases.map((phrase) => [phrase, `world/${entity_type}/${entity_id}/${attribute}`] as const),
  );
}

/** Longer texts are no names. */
const LONGEST_NAME = 200;
let known: AliasMap | undefined;

/**
 * Whether a text is a phrase by which a fact that comes with the program is known: "OHM'S LAW", "the capital of France".
 * As much a part of the program as its rules: the same text gives the same answer whatever memory holds.
 */
export function namesWorldFact(text: string): boolean {
  if (text.length > LONGEST_NAME) return false;
  known ??= new AliasMap([...Object.entries(readSynonyms()), ...worldFactAliases(readWorldFacts())]);
  return known.resolveAlias(text, null)?.startsWith('world/') === true;
}
