/**
 * A changed copy of a text, and the way back: stretches of it that stand as they are, sign by sign, and single signs that
 * were written for others. What is said of the original is said from its beginning to its end.
 */
export class FoldedCopy {
  private text = '';
  /** Where each stretch begins in the copy, and in the original. */
  private readonly begins: number[] = [];
  private readonly froms: number[] = [];
  /** Where what one sign was written for ends in the original; 0 for a stretch that stands as it is. */
  private readonly tos: number[] = [];
  /** What lies from here to the next change stands as it is. */
  private next = 0;
  /** The last unit of `text`. */
  private last: number | undefined;
  /** Every bit that any unit of the copy has; what stands as it is within ASCII need not be told. */
  private bits = 0;

  constructor(private readonly original: string) {}

  /** The last unit of the copy, where the original before `at` is in it; undefined where it is empty. */
  before(at: number): number | undefined {
    return at > this.next ? this.original.charCodeAt(at - 1) : this.last;
  }

  /** A sign that is not within ASCII stands as it is. */
  keep(codePoint: number): void {
    this.bits |= codePoint;
  }

  /** Another sign stands for `[at, end)`. */
  write(codePoint: number, at: number, end: number): void {
    this.take(at, end);
    this.begin(this.text.length, at, end);
    this.text += String.fromCodePoint(codePoint);
    this.last = codePoint;
    this.bits |= codePoint;
  }

  /** `[at, end)` is not there. */
  drop(at: number, end: number): void {
    this.take(at, end);
  }

  /** `[at, end)` belongs to the last unit of the copy, which is there. */
  widen(at: number, end: number): void {
    this.take(at, end);
    const last = this.tos.length - 1;
    const place = this.text.length - 1;
    if (this.tos[last] !== 0) this.tos[last] = end;
    else this.begin(place, (this.froms[last] ?? 0) + place - (this.begins[last] ?? 0), end);
  }

  /** The copy as a text, of one byte a sign where that is enough: expressions are faster over such texts. */
  whole(): string {
    this.take(this.original.length, this.original.length);
    return this.bits > 0xff ? this.text : Buffer.from(this.text, 'latin1').toString('latin1');
  }

  /** `[start, end)` of the copy as that of the original. */
  span(start: number, end: number): readonly [number, number] {
    const first = this.stretchAt(start);
    const last = this.stretchAt(end - 1);
    const from = this.froms[first] ?? 0;
    const to = this.tos[last] ?? 0;
    return [
      this.tos[first] === 0 ? from + start - (this.begins[first] ?? 0) : from,
      to === 0 ? (this.froms[last] ?? 0) + end - (this.begins[last] ?? 0) : to,
    ];
  }

  /** Everything up to `at` stands as it is, and the next stretch begins at `end`. */
  private take(at: number, end: number): void {
    if (at > this.next) {
      this.begin(this.text.length, this.next, 0);
      this.text += this.original.slice(this.next, at);
      this.last = this.original.charCodeAt(at - 1);
    }
    this.next = end;
  }

  private begin(place: number, from: number, to: number): void {
    this.begins.push(place);
    this.froms.push(from);
    this.tos.push(to);
  }

  /** Index of the stretch that holds a place of the copy: the last that does not begin behind it. */
  private stretchAt(place: number): number {
    let low = 0;
    let high = this.begins.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if ((this.begins[middle] ?? 0) <= place) low = middle;
      else high = middle - 1;
    }
    return low;
  }
}
