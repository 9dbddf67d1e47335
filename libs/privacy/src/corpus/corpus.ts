import { readFileSync } from 'node:fs';

import type { PiiType } from '../domain/pii-types.js';

/** The parts of the corpus: what is personal, what is not, and both in texts that the rules were first tried on blindly. */
export const CORPUS_PARTS = ['personal', 'innocent', 'held-out'] as const;
export type CorpusPart = (typeof CORPUS_PARTS)[number];

/** A text and every place of it that is personal, in order of place. All values are made up. */
export interface LabelledText {
  readonly text: string;
  /** Words that speak of the text from outside, such as the key it stands under. */
  readonly context?: string;
  readonly findings: readonly { readonly type: PiiType; readonly text: string }[];
}

/** One part of the corpus, read from its file: its shape is proven by corpus.unit.spec.ts. About 50 KB. */
export function readCorpus(part: CorpusPart): readonly LabelledText[] {
  return JSON.parse(readFileSync(new URL(`${part}.json`, import.meta.url), 'utf8')) as readonly LabelledText[];
}
