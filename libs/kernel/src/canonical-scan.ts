import { MAX_DEPTH } from './canonical-json.js';
import { round9 } from './rounding.js';

/** Larger events are rare, and are looked at in the general way. */
const MOST_CHARACTERS = 32 * 1024;
/** No unit of UTF-16 takes more in UTF-8: a text that is not ASCII is never cut to its own length. */
const MOST_BYTES = 3 * MOST_CHARACTERS;
/** So many digits in all, and any double is told apart by its text: no text of fewer reads back as another. */
const CERTAIN_DIGITS = 15;
const MOST_DECIMALS = 9;
/** Decimals behind which a number below one is written with an exponent. */
const PLAIN_DECIMALS = 6;

const code = (char: string): number => char.charCodeAt(0);
const [QUOTE, BACKSLASH, COMMA, COLON] = [code('"'), code('\\'), code(','), code(':')];
const [OPEN, CLOSE, OPEN_LIST, CLOSE_LIST] = [code('{'), code('}'), code('['), code(']')];
const [MINUS, POINT, EXPONENT, ZERO, NINE] = [code('-'), code('.'), code('e'), code('0'), code('9')];
const SPACE = 0x20;
const NUMBER = /[-+.\deE]+/y;
/** How a string writes what it cannot hold as it is; `\u` only where there is nothing shorter. */
const ESCAPE = /\\(?:["\\bfnrt]|u00(?:0[0-7be-f]|1[\da-f]))/y;

/** The texts of some members of an object. */
export class Members {
  readonly values: string[];

  /**
   * @param names of those that are looked for, in the order of canonical JSON
   * @param beside names of the texts that may stand beside them; anything where absent
   */
  constructor(
    readonly names: readonly string[],
    readonly beside?: ReadonlySet<string>,
  ) {
    this.values = names.map(() => '');
  }

  /** Forgets what it holds: the empty text says that there is no such member, or none before it was missing. */
  clear(): void {
    this.values.fill('');
  }
}

/**
 * Reads canonical JSON and nothing else, in one pass over its bytes: what parsing, writing again and comparing would
 * find, without making any of the values. It accepts less than there is: objects of ASCII text under plain names. Of what
 * it does not accept nothing is said.
 */
export class CanonicalScan {
  private readonly bytes = Buffer.alloc(MOST_BYTES + 1);
  private text = '';
  private at = 0;

  /**
   * Begins with the text of one event.
   * @returns false where it is no ASCII text of moderate length
   */
  begin(text: string): boolean {
    if (text.length > MOST_CHARACTERS || this.bytes.write(text, 'utf8') !== text.length) return false;
    // Nothing canonical goes on behind it.
    this.bytes[text.length] = 0;
    this.text = text;
    this.at = 0;
    return true;
  }

  /** Whether nothing is left. */
  get isAtEnd(): boolean {
    return this.at === this.text.length;
  }

  /** Passes over a text that must stand here. @param but so many characters of it, which are looked at again */
  passes(expected: string, but = 0): boolean {
    if (!this.text.startsWith(expected, this.at)) return false;
    this.at += expected.length - but;
    return true;
  }

  /** Passes over any canonical value. @param depth levels around it */
  value(depth: number): boolean {
    switch (this.bytes[this.at]) {
      case QUOTE:
        return this.string();
      case OPEN:
        return this.object(depth);
      case OPEN_LIST:
        return this.list(depth);
      default:
        return this.number() || this.passes('true') || this.passes('false') || this.passes('null');
    }
  }

  /** Where it stands in the text. */
  get position(): number {
    return this.at;
  }

  /** Passes over a canonical object. @param depth levels around it @param wanted takes the texts of some members */
  object(depth: number, wanted?: Members): boolean {
    const { bytes } = this;
    let awaited = 0;
    if (depth >= MAX_DEPTH || bytes[this.at++] !== OPEN) return false;
    if (bytes[this.at] === CLOSE) return ++this.at > 0;
    let before = -1;
    for (;;) {
      const name = this.at;
      if (!this.name() || (before >= 0 && !this.isOrdered(before, name))) return false;
      const value = this.at;
      if (!this.value(depth + 1)) return false;
      if (wanted && this.isNamed(wanted.names[awaited], name, value)) {
        wanted.values[awaited++] = this.text.slice(value, this.at);
      } else if (
        wanted?.beside &&
        !(bytes[value] === QUOTE && wanted.beside.has(this.text.slice(name + 1, value - 2)))
      ) {
        return false;
      }
      before = name;
      const next = bytes[this.at++];
      if (next !== COMMA) return next === CLOSE;
    }
  }

  private isNamed(wanted: string | undefined, name: number, value: number): boolean {
    return wanted !== undefined && value - name === wanted.length + 3 && this.text.startsWith(wanted, name + 1);
  }

  private list(depth: number): boolean {
    const { bytes } = this;
    if (depth >= MAX_DEPTH) return false;
    if (bytes[++this.at] === CLOSE_LIST) return ++this.at > 0;
    for (;;) {
      if (!this.value(depth + 1)) return false;
      const next = bytes[this.at++];
      if (next !== COMMA) return next === CLOSE_LIST;
    }
  }

  private string(): boolean {
    const { bytes } = this;
    let at = this.at + 1;
    for (let byte = bytes[at]!; byte !== QUOTE; byte = bytes[++at]!) {
      if (byte < SPACE) return false;
      if (byte !== BACKSLASH) continue;
      ESCAPE.lastIndex = at;
      if (!ESCAPE.test(this.text)) return false;
      at = ESCAPE.lastIndex - 1;
    }
    this.at = at + 1;
    return true;
  }

  /** A member's name and the colon behind it; names with escapes sort otherwise than they are written. */
  private name(): boolean {
    const { bytes } = this;
    let at = this.at;
    if (bytes[at] !== QUOTE) return false;
    for (let byte = bytes[++at]!; byte !== QUOTE; byte = bytes[++at]!) {
      if (byte < SPACE || byte === BACKSLASH) return false;
    }
    this.at = at + 2;
    return bytes[at + 1] === COLON;
  }

  /** Whether the name that begins at `before` comes before the one that begins at `name`; both were passed over. */
  private isOrdered(before: number, name: number): boolean {
    const { bytes } = this;
    for (let a = before + 1, b = name + 1; ; a++, b++) {
      const byte = bytes[a]!;
      if (byte === QUOTE) return bytes[b] !== QUOTE;
      if (byte !== bytes[b]) return bytes[b] !== QUOTE && byte < bytes[b]!;
    }
  }

  private number(): boolean {
    const { bytes } = this;
    const start = bytes[this.at] === MINUS ? this.at + 1 : this.at;
    const point = this.digits(start);
    const whole = point - start;
    if (whole === 0 || (bytes[start] === ZERO && point - this.at > 1 && bytes[point] !== POINT)) return false;
    if (whole > 1 && bytes[start] === ZERO) return false;
    const end = bytes[point] === POINT ? this.digits(point + 1) : point;
    const decimals = end === point ? 0 : end - point - 1;
    if (bytes[end] === EXPONENT || whole + decimals > CERTAIN_DIGITS) return this.writtenNumber(this.at);
    if (end > point && !this.areDecimals(point + 1, end, bytes[start] !== ZERO)) return this.writtenNumber(this.at);
    this.at = end;
    return true;
  }

  /** Where the digits that begin here end. */
  private digits(from: number): number {
    let at = from;
    for (let byte = this.bytes[at]!; byte >= ZERO && byte <= NINE; byte = this.bytes[at]!) at++;
    return at;
  }

  /** Whether decimals are surely those that a double is written with. */
  private areDecimals(from: number, end: number, isAboveOne: boolean): boolean {
    if (end === from || end - from > MOST_DECIMALS || this.bytes[end - 1] === ZERO) return false;
    if (isAboveOne) return true;
    for (let at = from; at < end && at < from + PLAIN_DECIMALS; at++) if (this.bytes[at] !== ZERO) return true;
    return false;
  }

  /** Any number, by writing it again. */
  private writtenNumber(start: number): boolean {
    NUMBER.lastIndex = start;
    if (!NUMBER.test(this.text)) return false;
    const end = NUMBER.lastIndex;
    const written = this.text.slice(start, end);
    const number = Number(written);
    const isExact = Number.isSafeInteger(number) || (Number.isFinite(number) && !Number.isInteger(number));
    if (!isExact || round9(number) !== number || String(number) !== written) return false;
    this.at = end;
    return true;
  }
}
