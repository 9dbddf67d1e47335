import { redactFound } from '#lib/brainstate';
import type { Candidate } from '#lib/council';
import type { Json, JsonObject } from '#lib/kernel';
import { ownerOf } from '#lib/memory';
import { detectInPayload } from '#lib/privacy';

import { withoutWords } from './withheld-words.js';

/** What outside critics see of an answer. */
export interface ShownAnswer {
  readonly kind: 'answer';
  readonly question: string;
  readonly answer: string;
  readonly agent_id: string;
  readonly confidence: number;
  /** What it relies on, but nothing of what memory holds of a person. */
  readonly evidence: readonly { readonly key: string; readonly revision: number; readonly value: Json }[];
  /** Pieces of evidence that are left out, being a person's. */
  readonly withheld_evidence: number;
}

/**
 * An answer as it leaves the house: without what memory holds of a person, and without anything that the detector finds,
 * whatever consents there are. Those let a person's own answer hold it, and nobody else see it (spec/privacy.md, "What
 * happens").
 * @param written what the answer asked to be kept, which is as personal as what is kept already; null where nothing was
 */
export function shownAnswer(
  { query_text, agent_id, text, confidence, evidence }: Candidate,
  written: { readonly key: string; readonly value: Json } | null,
): ShownAnswer {
  const personal = evidence.filter(({ key }) => ownerOf(key) !== null);
  const kept = written !== null && ownerOf(written.key) !== null ? [...personal, written] : personal;
  const values = kept.flatMap(({ value }) => wordsOf(value));
  const shown = {
    kind: 'answer',
    question: withoutWords(query_text, values),
    answer: withoutWords(text, values),
    agent_id,
    confidence,
    evidence: evidence
      .filter((piece) => !personal.includes(piece))
      .map(({ key, revision, value }) => ({ key, revision, value })),
    withheld_evidence: personal.length,
  };
  return redactFound(shown, detectInPayload(shown)) as JsonObject & ShownAnswer;
}

/** What a value looks like in a text. */
function wordsOf(value: Json): readonly string[] {
  if (value === null) return [];
  if (typeof value === 'object') return (Array.isArray(value) ? value : Object.values(value)).flatMap(wordsOf);
  const word = String(value).trim();
  return word === '' ? [] : [word];
}
