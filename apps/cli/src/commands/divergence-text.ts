import type { Divergence } from '#lib/replay';

import { plain } from '../io.js';

/** Lines of the events around what differs. */
const CONTEXT = 3;
/** Lines of two texts that are compared line by line; beyond, all that lies between equal ends is told as changed. */
const MAX_COMPARED = 1_500;

export interface Line {
  readonly kind: 'same' | 'recorded' | 'computed' | 'left out';
  readonly text: string;
}

/** A divergence for a person: where, what on both sides, the two events around it, and what led there. */
export function divergenceText(divergence: Divergence, paint: (line: Line) => string = shown): string[] {
  const { event_number, event_type, stream, pointer, differences, differences_total, causes, fault } = divergence;
  const further = differences_total - 1;
  const place = `event ${event_number} (${event_type}) of ${stream} differs at ${pointer === '' ? 'its root' : pointer}`;
  const pointers = differences.slice(1).map((one) => one.pointer);
  return [
    ...[
      place,
      `  recorded  ${sideOf(divergence.recorded, divergence.recorded_hash)}`,
      `  computed  ${sideOf(divergence.computed, divergence.computed_hash)}`,
      ...(further > 0 ? [`  and at ${further} more: ${pointers.join(', ')}`] : []),
      ...(fault === null ? [] : [`  the engine could not go on with the record: ${fault}`]),
      '',
    ].map(plain),
    ...eventLines(divergence).map((line) => paint({ ...line, text: plain(line.text) })),
    '',
    'what led there, the newest first',
    plain(`  recorded  ${chainOf(causes.recorded)}`),
    plain(`  computed  ${chainOf(causes.computed)}`),
  ];
}

function sideOf(value: string | null, hash: string | null): string {
  if (value === null) return 'nothing';
  return hash === null ? value : `${value}  sha256 ${hash}`;
}

function chainOf(causes: Divergence['causes']['recorded']): string {
  if (causes.length === 0) return 'nothing';
  return causes
    .map(({ event_number, event_type, hash }) => `${event_number} ${event_type} ${hash?.slice(0, 12) ?? '[redacted]'}`)
    .join(' <- ');
}

function eventLines({ recorded_event, computed_event }: Divergence): readonly Line[] {
  const changes = lineChanges(prettyLines(recorded_event), prettyLines(computed_event));
  const near = (i: number): boolean =>
    changes.slice(Math.max(0, i - CONTEXT), i + CONTEXT + 1).some(({ kind }) => kind !== 'same');
  const told: Line[] = [];
  for (const [i, line] of changes.entries()) {
    if (near(i)) told.push(line);
    else if (told.at(-1)?.kind !== 'left out') told.push({ kind: 'left out', text: '' });
  }
  return told;
}

/** Canonical text, one member a line; nothing for an event that there is none of, or that was too large to be told. */
function prettyLines(text: string | null): readonly string[] {
  return text === null ? [] : JSON.stringify(JSON.parse(text), null, 2).split('\n');
}

/** What has to be taken out and put in to come from one text to the other, by the longest common lines. */
export function lineChanges(recorded: readonly string[], computed: readonly string[]): readonly Line[] {
  let begin = 0;
  while (begin < Math.min(recorded.length, computed.length) && recorded[begin] === computed[begin]) begin++;
  let end = 0;
  const rest = Math.min(recorded.length, computed.length) - begin;
  while (end < rest && recorded.at(-1 - end) === computed.at(-1 - end)) end++;
  const same = (lines: readonly string[]): Line[] => lines.map((text) => ({ kind: 'same', text }));
  return [
    ...same(recorded.slice(0, begin)),
    ...changesBetween(recorded.slice(begin, recorded.length - end), computed.slice(begin, computed.length - end)),
    ...same(recorded.slice(recorded.length - end)),
  ];
}

function changesBetween(recorded: readonly string[], computed: readonly string[]): readonly Line[] {
  const [out, into] = [recorded, computed].map((lines, side) =>
    lines.map((text): Line => ({ kind: side === 0 ? 'recorded' : 'computed', text })),
  ) as [Line[], Line[]];
  if (recorded.length > MAX_COMPARED || computed.length > MAX_COMPARED) return [...out, ...into];
  const common = commonLengths(recorded, computed);
  const told: Line[] = [];
  let [i, j] = [0, 0];
  while (i < recorded.length && j < computed.length) {
    if (recorded[i] === computed[j]) {
      told.push({ kind: 'same', text: recorded[i]! });
      i++;
      j++;
    } else if (common[i + 1]![j]! >= common[i]![j + 1]!) told.push(out[i++]!);
    else told.push(into[j++]!);
  }
  return [...told, ...out.slice(i), ...into.slice(j)];
}

/** Length of the longest common lines of what follows each pair of places. */
function commonLengths(a: readonly string[], b: readonly string[]): readonly (readonly number[])[] {
  const lengths = Array.from({ length: a.length + 1 }, () => new Array<number>(b.length + 1).fill(0));
  for (let i = a.length - 1; i >= 0; i--) {
    for (let j = b.length - 1; j >= 0; j--) {
      lengths[i]![j] = a[i] === b[j] ? lengths[i + 1]![j + 1]! + 1 : Math.max(lengths[i + 1]![j]!, lengths[i]![j + 1]!);
    }
  }
  return lengths;
}

const MARKS: Readonly<Record<Line['kind'], string>> = { same: ' ', recorded: '-', computed: '+', 'left out': ' ' };

export function shown({ kind, text }: Line): string {
  return kind === 'left out' ? '  ...' : `${MARKS[kind]} ${text}`;
}
