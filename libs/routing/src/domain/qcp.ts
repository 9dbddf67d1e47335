import { type Intent, intentsOf } from './intents.js';
import type { OwnIntents } from './own-intents.js';
import { type QueryText, readQuery } from './query-text.js';

export type { Intent } from './intents.js';

export type Urgency = 'low' | 'normal' | 'high';

/** Counts and yes-or-no facts of a query; never its words, since these stand unencrypted in the log. */
export type QueryFeatures = {
  readonly words: number;
  readonly sentences: number;
  readonly is_question: boolean;
  readonly has_number: boolean;
  readonly has_user: boolean;
  readonly speaks_of_self: boolean;
};

/** What the classifier makes of a query (spec/decisions.md, "Stage-1"; seed 001, qcp_summary). */
export type QueryClassification = {
  /** Most important first; never empty. */
  readonly intent_tags: readonly string[];
  /** How much thought it asks for: 0 a look-up or a command, 1 a plain question, 2 several steps. */
  readonly depth_level: 0 | 1 | 2;
  readonly urgency: Urgency;
  readonly features: QueryFeatures;
};

export interface Query {
  readonly query_text: string;
  /** Without a user nothing is `profile`: there is nobody whose facts could be read. */
  readonly has_user: boolean;
  /**
   * Whether a stored fact of the world is known by this phrase: a bare "Ohm's law" asks for it. Looked at only where the
   * words hold no intent. Absent: none is known.
   */
  readonly names_fact?: (query_text: string) => boolean;
  /** Of the router policy; absent where it adds none. */
  readonly own?: OwnIntents | undefined;
}

/** Classifies a query by rules: the same text gives the same answer, at any time and in any language setting. */
export function classifyQuery({ query_text, has_user, names_fact, own }: Query): QueryClassification {
  const query = readQuery(query_text, has_user, () => names_fact?.(query_text) ?? false);
  const intent_tags = intentsOf(query, own);
  const features = featuresOf(query);
  return {
    intent_tags,
    depth_level: depthOf(intent_tags, features),
    urgency: urgencyOf(query.text),
    features,
  };
}

const LONG = 40;

/** How much thought a query of these intents and features asks for. */
export function depthOf(
  [primary = 'general']: readonly string[],
  { words, sentences }: Pick<QueryFeatures, 'words' | 'sentences'>,
): 0 | 1 | 2 {
  if (primary === 'profile' || primary === 'command') return 0;
  return primary === 'strategy' || primary === 'creative' || words > LONG || sentences > 2 ? 2 : 1;
}

function urgencyOf(text: string): Urgency {
  if (/\b(?:urgent(?:ly)?|asap|as soon as possible|immediately|right now|right away|emergency|hurry)\b/.test(text))
    return 'high';
  return /\b(?:no rush|no hurry|whenever|when you have time|someday|eventually)\b/.test(text) ? 'low' : 'normal';
}

function featuresOf({ text, is_question, has_user }: QueryText): QueryFeatures {
  return {
    words: text.match(/[\p{L}\p{N}]+/gu)?.length ?? 0,
    sentences: text === '' ? 0 : text.split(/[.?!] /).length,
    is_question,
    has_number: /\d/.test(text),
    has_user,
    speaks_of_self: /\b(?:my|mine|me|i|i'm|myself)\b/.test(text),
  };
}

/** A query with the intent that people say it has. */
export interface LabelledQuery {
  readonly query: string;
  readonly intent: Intent;
  /** True unless it says otherwise. */
  readonly has_user?: boolean;
  /** Whether a stored fact is known by these words; false unless it says otherwise. */
  readonly names_fact?: boolean;
  /** The rule behind a label on which people may differ. */
  readonly why?: string;
}

export interface Confusion {
  readonly total: number;
  readonly right: number;
  /** Rows are what people say, columns what the classifier says; only what occurs. */
  readonly table: Readonly<Record<string, Readonly<Record<string, number>>>>;
  readonly misses: readonly { readonly query: string; readonly expected: Intent; readonly given: string }[];
}

/** How the classifier fares on labelled queries. */
export function confusion(corpus: readonly LabelledQuery[]): Confusion {
  const table: Record<string, Record<string, number>> = {};
  const misses: Confusion['misses'][number][] = [];
  for (const { query, intent, has_user = true, names_fact = false } of corpus) {
    const given =
      classifyQuery({ query_text: query, has_user, names_fact: () => names_fact }).intent_tags[0] ?? 'general';
    const row = (table[intent] ??= {});
    row[given] = (row[given] ?? 0) + 1;
    if (given !== intent) misses.push({ query, expected: intent, given });
  }
  return { total: corpus.length, right: corpus.length - misses.length, table, misses };
}
