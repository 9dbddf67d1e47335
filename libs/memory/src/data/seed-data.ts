import { readFileSync } from 'node:fs';

/** A fact of the world as `world-facts.json` holds it: public knowledge in our own words, with where to check it. */
export interface WorldFact {
  readonly entity_type: string;
  readonly entity_id: string;
  readonly attribute: string;
  /** One or two sentences, at most 400 characters. */
  readonly value: string;
  readonly source: string;
  /** Phrases that mean this fact; no phrase means two. */
  readonly aliases: readonly string[];
}

/** The facts that SEM is given once, at the first start (spec/memory.md), sorted by key. About 150 KB: read them once. */
export function readWorldFacts(): readonly WorldFact[] {
  return read('world-facts.json') as readonly WorldFact[];
}

/** Phrase to key of `sem_synonyms.json`, with `{user_id}` for the asking principal. */
export function readSynonyms(): Readonly<Record<string, string>> {
  return read('sem_synonyms.json') as Readonly<Record<string, string>>;
}

/** The file is part of the program: its shape is proven by seed-data.unit.spec.ts, not at each start. */
function read(name: string): unknown {
  return JSON.parse(readFileSync(new URL(name, import.meta.url), 'utf8'));
}
