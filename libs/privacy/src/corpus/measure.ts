import type { Detect } from '../domain/detector.js';
import type { Finding, PiiType } from '../domain/pii-types.js';
import type { LabelledText } from './corpus.js';

/** Below these the detector has become worse: shares of 1, in all and for each type that has a label (spec/privacy.md). */
export const CORPUS_FLOORS = { recall: 0.97, precision: 0.98, each: 0.9 } as const;

export interface Figures {
  /** Labels. */
  readonly labels: number;
  /** Labels that a finding of their type holds whole. */
  readonly found: number;
  /** Findings that hold no label of their type. */
  readonly wrong: number;
  /** found / labels; 1 where there is no label. */
  readonly recall: number;
  /** found / (found + wrong); 1 where nothing was found. */
  readonly precision: number;
}

export interface Miss {
  /** The whole text that it is about. */
  readonly text: string;
  readonly type: PiiType;
  /** A label that was not found, or a finding that is none. */
  readonly kind: 'missed' | 'wrong';
  readonly part: string;
  /** The rule that was wrong. */
  readonly rule?: string;
}

export interface CorpusFigures {
  readonly texts: number;
  readonly all: Figures;
  /** By type, sorted; those with a label or a finding. */
  readonly types: Readonly<Record<string, Figures>>;
  readonly misses: readonly Miss[];
  /** What is below its floor, in words; empty where nothing is. */
  readonly below: readonly string[];
}

/** What a detector finds of labelled texts. A label counts as found where one finding of its type holds all of it. */
export function measureCorpus(detect: Detect, texts: readonly LabelledText[]): CorpusFigures {
  const counts = new Map<string, { labels: number; wrong: number; missed: number }>();
  const of = (type: string) => {
    const known = counts.get(type) ?? { labels: 0, wrong: 0, missed: 0 };
    counts.set(type, known);
    return known;
  };
  const misses: Miss[] = [];
  for (const labelled of texts) {
    for (const { type } of labelled.findings) of(type).labels++;
    for (const miss of missesIn(detect, labelled)) {
      of(miss.type)[miss.kind]++;
      misses.push(miss);
    }
  }
  const types = Object.fromEntries(
    [...counts].sort(([a], [b]) => (a < b ? -1 : 1)).map(([type, n]) => [type, figures(n)]),
  );
  const all = figures({
    labels: sum([...counts.values()].map(({ labels }) => labels)),
    wrong: sum([...counts.values()].map(({ wrong }) => wrong)),
    missed: sum([...counts.values()].map(({ missed }) => missed)),
  });
  return { texts: texts.length, all, types, misses, below: belowFloors(all, types) };
}

function missesIn(detect: Detect, { text, context, findings: labels }: LabelledText): Miss[] {
  const left = new Set(detect(text, context === undefined ? {} : { context }));
  const misses: Miss[] = [];
  let from = 0;
  for (const { type, text: part } of labels) {
    const start = text.indexOf(part, from);
    const end = start + part.length;
    const hit = [...left].find((finding) => finding.type === type && finding.start <= start && finding.end >= end);
    if (hit) left.delete(hit);
    else misses.push({ text, type, kind: 'missed', part });
    from = end;
  }
  return [...misses, ...[...left].map((finding) => wrong(text, finding))];
}

function wrong(text: string, { type, start, end, rule }: Finding): Miss {
  return { text, type, kind: 'wrong', part: text.slice(start, end), rule };
}

function figures({ labels, wrong, missed }: { labels: number; wrong: number; missed: number }): Figures {
  const found = labels - missed;
  return { labels, found, wrong, recall: share(found, labels), precision: share(found, found + wrong) };
}

function belowFloors(all: Figures, types: Readonly<Record<string, Figures>>): string[] {
  const below = [];
  if (all.recall < CORPUS_FLOORS.recall) below.push(`recall in all: ${all.recall} < ${CORPUS_FLOORS.recall}`);
  if (all.precision < CORPUS_FLOORS.precision)
    below.push(`precision in all: ${all.precision} < ${CORPUS_FLOORS.precision}`);
  for (const [type, { labels, recall, precision }] of Object.entries(types)) {
    if (labels === 0) continue;
    if (recall < CORPUS_FLOORS.each) below.push(`recall of ${type}: ${recall} < ${CORPUS_FLOORS.each}`);
    if (precision < CORPUS_FLOORS.each) below.push(`precision of ${type}: ${precision} < ${CORPUS_FLOORS.each}`);
  }
  return below;
}

function share(part: number, whole: number): number {
  return whole === 0 ? 1 : Math.round((part / whole) * 10_000) / 10_000;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((a, b) => a + b, 0);
}
