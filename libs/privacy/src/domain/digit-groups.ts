import { hitsOf } from './hits.js';

const DIGITS = /\d+/g;
/** What may stand between two digit groups of one number, at most three of them. */
const SEPARATORS = /^[ \-./_()]{1,3}$/;
const MAX_SEPARATOR = 3;

/** The runs of digits of a text, and what stands between them. The number rules read this and no expression of their own. */
export class DigitGroups {
  private readonly starts: number[] = [];
  private readonly ends: number[] = [];
  private readonly joints: (string | undefined)[] = [];
  /** Whether each joint has no space. */
  private readonly hangs: boolean[] = [];
  /** All digits of the text in a row, and where each group begins among them. */
  private readonly all: string;
  private readonly offsets: number[] = [0];

  constructor(readonly text: string) {
    const parts: string[] = [];
    for (const { 0: run, index } of hitsOf(text, DIGITS)) {
      this.add(index, index + run.length);
      parts.push(run);
    }
    this.all = parts.join('');
  }

  private add(start: number, end: number): void {
    const previous = this.ends.at(-1);
    if (previous !== undefined) {
      const joint = jointOf(this.text, previous, start);
      this.joints.push(joint);
      this.hangs.push(joint !== undefined && !joint.includes(' '));
    }
    this.starts.push(start);
    this.ends.push(end);
    this.offsets.push((this.offsets.at(-1) ?? 0) + end - start);
  }

  get count(): number {
    return this.starts.length;
  }

  start(group: number): number {
    return this.starts[group] ?? -1;
  }

  end(group: number): number {
    return this.ends[group] ?? -1;
  }

  /** Digits in a group; 0 where there is no such group. */
  size(group: number): number {
    return this.end(group) - this.start(group);
  }

  /** What joins a group to the next: one to three separators. Undefined where they do not belong together. */
  joint(group: number): string | undefined {
    return this.joints[group];
  }

  /** Whether a group hangs on the next without a space, as in `12-34`: parts of one number. */
  tight(group: number): boolean {
    return this.hangs[group] === true;
  }

  /** The digits of groups `first` to `last`, without what is between them. */
  digits(first: number, last: number): string {
    return this.all.slice(this.offsets[first], this.offsets[last + 1]);
  }

  /** How many digits groups `first` to `last` hold. */
  total(first: number, last: number): number {
    return (this.offsets[last + 1] ?? 0) - (this.offsets[first] ?? 0);
  }

  /** The number that the first two digits from a group on make, whether or not they belong together; NaN at the very end. */
  leadingTwo(group: number): number {
    const at = this.offsets[group] ?? 0;
    return (this.all.charCodeAt(at) - 0x30) * 10 + this.all.charCodeAt(at + 1) - 0x30;
  }

  /** Whether the groups from `first` on have these sizes and are joined: the usual writing of some number. */
  hasForm(first: number, sizes: readonly number[]): boolean {
    if (this.size(first) !== sizes[0]) return false;
    for (let at = 1; at < sizes.length; at++) {
      if (this.joints[first + at - 1] === undefined || this.size(first + at) !== sizes[at]) return false;
    }
    return true;
  }

  /** `[first, last]` of every window of joined groups with `total` digits in all. Linear in the groups, whatever the total. */
  *exactly(total: number): Generator<readonly [number, number]> {
    let last = 0;
    let torn = -1;
    for (let first = 0; first < this.count; first++) {
      const wanted = (this.offsets[first] ?? 0) + total;
      for (; last < this.count && (this.offsets[last + 1] ?? 0) < wanted; last++)
        if (this.joints[last] === undefined) torn = last;
      if (last < this.count && this.offsets[last + 1] === wanted && torn < first) yield [first, last];
    }
  }

  /** The last groups of the windows of joined groups that begin with `first` and hold `min` to `max` digits, shortest first. */
  windows(first: number, min: number, max: number): readonly number[] {
    const lasts: number[] = [];
    const size = this.size(first);
    if (size > max || (size < min && this.joints[first] === undefined)) return lasts;
    let total = 0;
    for (let last = first; last < this.count; last++) {
      total += this.size(last);
      if (total > max) break;
      if (total >= min) lasts.push(last);
      if (this.joints[last] === undefined) break;
    }
    return lasts;
  }
}

function jointOf(text: string, from: number, to: number): string | undefined {
  if (to - from > MAX_SEPARATOR) return undefined;
  const between = text.slice(from, to);
  return SEPARATORS.test(between) ? between : undefined;
}
