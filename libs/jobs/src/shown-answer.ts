import { redactFound } from '#lib/brainstate';
import type { Candidate } from '#lib/council';
import type { Json, JsonObject } from '#lib/kernel';
import { ownerOf } from '#lib/memory';
import { detectInPayload } from '#lib/privacy';

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

const WITHHELD = '[redacted:memory]';
/** A value of fewer characters is taken out only where it stands as a word. */
const SHORT = 4;
const WORD = /[\p{L}\p{N}]/u;

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
  const values = kept.flatMap(({ value }) => wordsOf(value)).sort((a, b) => b.length - a.length);
  const shown = {
    kind: 'answer',
    question: without(query_text, values),
    answer: without(text, values),
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

function without(text: string, words: readonly string[]): string {
  return words.reduce((rest, word) => withoutWord(rest, word), text);
}

function withoutWord(text: string, word: string): string {
  const parts: string[] = [];
  let from = 0;
  for (let at = text.indexOf(word); at !== -1; at = text.indexOf(word, at + word.length)) {
    const isPart = WORD.test(text.charAt(at - 1)) || WORD.test(text.charAt(at + word.length));
    if (word.length < SHORT && isPart) continue;
    parts.push(text.slice(from, at), WITHHELD);
    from = at + word.length;
  }
  return parts.join('') + text.slice(from);
}
