import {
  binary,
  call,
  constant,
  type Expr,
  type FunctionName,
  LIST_FUNCTIONS,
  negation,
  number,
  UNARY_FUNCTIONS,
  variable,
} from './ast.js';
import { MATH_LIMITS, MathRefusal, MathSyntax } from './limits.js';
import { fromDecimal } from './rational.js';
import { type Token, tokenize } from './tokenizer.js';

const ALIASES: Readonly<Record<string, FunctionName>> = {
  arcsin: 'asin',
  arccos: 'acos',
  arctan: 'atan',
  ceiling: 'ceil',
  cosec: 'csc',
  mean: 'average',
  avg: 'average',
  ncr: 'choose',
  binomial: 'choose',
  lg: 'log10',
  log: 'log10',
};
const INVERSES: Readonly<Record<string, FunctionName>> = { sin: 'asin', cos: 'acos', tan: 'atan' };
const UNARY: ReadonlySet<string> = new Set(UNARY_FUNCTIONS);
const LISTS: ReadonlySet<string> = new Set(LIST_FUNCTIONS);

export interface ParseOptions {
  /** `i` stands for a variable only in what the symbolic engine gives back. */
  readonly imaginary?: boolean;
  /** Reading of the bare name `log`: to the base 10, unless the symbolic engine says it, which means the natural one. */
  readonly log?: 'ln';
}

/** A formula in plain text (see `plainText`). Throws MathSyntax, or MathRefusal at a limit or where two readings are common. */
export function parseExpression(text: string, options: ParseOptions = {}): Expr {
  return new Parser(tokenize(text), options).whole();
}

class Parser {
  private at = 0;
  private depth = 0;
  private readonly lonelyX: boolean;

  constructor(
    private readonly tokens: readonly Token[],
    private readonly options: ParseOptions,
  ) {
    this.lonelyX = tokens.every((t, i) => !isWord(t, 'x') || this.betweenOperands(i));
  }

  whole(): Expr {
    const e = this.sum();
    if (this.at < this.tokens.length) throw new MathSyntax('something is left over after the formula');
    return e;
  }

  private sum(): Expr {
    let left = this.product();
    for (;;) {
      const op = this.take('+') ?? this.take('-');
      if (op === null) return left;
      const right = this.product();
      if (right.kind === 'percent') {
        throw new MathRefusal(
          `"${op} ...%" can mean a share of the amount before it or of 1; say it as "10% of 80", or multiply`,
        );
      }
      left = binary(op as '+' | '-', left, right);
    }
  }

  private product(): Expr {
    let left = this.signed();
    let divided = false;
    for (;;) {
      if (this.take('*') !== null || this.timesX()) {
        left = binary('*', left, this.signed());
        divided = false;
      } else if (this.take('/') !== null) {
        left = this.quotient(left, this.at);
        divided = true;
      } else if (this.takeWord('of')) {
        left = binary('of', left, this.signed());
        divided = false;
      } else if (this.takeWord('mod') || this.modulo()) {
        left = binary('mod', left, this.signed());
        if (this.endsInPercent()) throw doubtfulPercent();
        divided = false;
      } else if (this.takeWord('choose')) {
        left = call('choose', left, this.signed());
      } else if (this.startsFactor()) {
        if (divided)
          throw new MathRefusal(
            'a product without a sign after a division can be read in two ways; please add brackets',
          );
        left = binary('*', left, this.power());
      } else return left;
    }
  }

  private signed(): Expr {
    return this.nested(() => {
      if (this.take('-') !== null) return negation(this.signed());
      if (this.take('+') !== null) return this.signed();
      return this.power();
    });
  }

  private power(): Expr {
    const base = this.postfix();
    if (this.take('^') === null) return base;
    const exponent = this.signed();
    if (this.endsInPercent()) throw doubtfulPercent();
    return binary('^', base, exponent);
  }

  /** "1/2%" is half a percent; "10/2%" and "1 / 2%" have two readings. */
  private quotient(left: Expr, from: number): Expr {
    const right = this.signed();
    if (!this.endsInPercent()) return binary('/', left, right);
    const tight = this.tokens.slice(from - 1, from + 1).every((t) => !t.gap);
    if (!tight || left.kind !== 'number' || right.kind !== 'percent' || right.arg.kind !== 'number')
      throw doubtfulPercent();
    const [top, bottom] = [left.value, right.arg.value];
    if (top.d !== 1n || bottom.d !== 1n || top.n >= bottom.n) throw doubtfulPercent();
    return { kind: 'percent', arg: binary('/', left, right.arg) };
  }

  /** The last token read is a percent sign that no bracket closes off. */
  private endsInPercent(): boolean {
    const last = this.tokens[this.at - 1];
    return last?.kind === 'symbol' && last.text === '%';
  }

  private postfix(): Expr {
    let e = this.primary();
    for (;;) {
      if (this.take('!') !== null) {
        if (e.kind === 'factorial')
          throw new MathRefusal('"!!" can mean a double factorial or a factorial twice; please add brackets');
        e = { kind: 'factorial', arg: e };
      } else if (this.isSymbol('%') && !this.isModulo()) {
        this.refuseSignedRemainder();
        this.at += 1;
        e = { kind: 'percent', arg: e };
      } else if (
        this.take('°') !== null ||
        this.takeWord('degrees') ||
        this.takeWord('degree') ||
        this.takeWord('deg')
      ) {
        e = { kind: 'degrees', arg: e };
      } else return e;
    }
  }

  private primary(): Expr {
    const token = this.tokens[this.at];
    if (token === undefined) throw new MathSyntax('the formula ends too early');
    this.at += 1;
    if (token.kind === 'number') return number(fromDecimal(token.text));
    if (token.kind === 'word') return this.name(token.text);
    if (token.text === '(') return this.bracket();
    if (token.text === '|') {
      const inner = this.nested(() => this.sum());
      this.expect('|');
      return call('abs', inner);
    }
    throw new MathSyntax(`"${token.text}" does not start a value`);
  }

  private bracket(): Expr {
    return this.nested(() => {
      const e = this.sum();
      this.expect(')');
      return e;
    });
  }

  private name(word: string): Expr {
    const fn = word === 'log' && this.options.log === 'ln' ? 'ln' : ((ALIASES[word] ?? word) as FunctionName);
    if (UNARY.has(fn)) return this.unaryCall(fn);
    if (LISTS.has(fn)) return this.listCall(fn);
    if (word === 'factorial') return { kind: 'factorial', arg: this.argument() };
    if (word === 'pi' || word === 'e' || word === 'infinity') return constant(word);
    if (word === 'i' && this.options.imaginary !== true) throw new MathSyntax('complex numbers are not known here');
    if (/^[a-z]$/.test(word)) return variable(word);
    if (/^[xyz]{2,3}$/.test(word)) return [...word].map(variable).reduce((a, b) => binary('*', a, b));
    throw new MathSyntax('an unknown word');
  }

  private unaryCall(fn: FunctionName): Expr {
    if (this.take('^') === null) return call(fn, this.argument());
    const bracketed = this.take('(') !== null;
    const inverse = this.take('-') !== null;
    const exponent = this.tokens[this.at];
    if (exponent?.kind !== 'number' || !/^[1-9]$/.test(exponent.text))
      throw new MathSyntax('a power of a function is a small whole number');
    this.at += 1;
    if (bracketed) this.expect(')');
    if (!inverse) return binary('^', call(fn, this.argument()), number(fromDecimal(exponent.text)));
    const arc = INVERSES[fn];
    if (arc === undefined || exponent.text !== '1')
      throw new MathRefusal(`"${fn}^-${exponent.text}" can mean an inverse or a reciprocal; please write it out`);
    return call(arc, this.argument());
  }

  /** `f(x)`, `f 30`, `f 2x`: without brackets, the factors that stand beside each other. */
  private argument(): Expr {
    if (this.take('(') !== null) return this.bracket();
    return this.nested(() => {
      if (this.take('-') !== null) return negation(this.argument());
      let e = this.power();
      while (e.kind === 'number' || e.kind === 'variable' || (e.kind === 'binary' && e.op === '*')) {
        const next = this.tokens[this.at];
        if (next?.kind !== 'word' || !/^(?:[a-z]|pi)$/.test(next.text) || this.isTimesX()) break;
        e = binary('*', e, this.power());
      }
      if (this.endsInPercent()) throw doubtfulPercent();
      return e;
    });
  }

  private listCall(fn: FunctionName): Expr {
    this.expect('(');
    const args = this.nested(() => {
      const members = [this.sum()];
      while (this.take(',') !== null) {
        if (members.length >= MATH_LIMITS.listLength)
          throw new MathRefusal(`a list has more than ${MATH_LIMITS.listLength} members`);
        members.push(this.sum());
      }
      this.expect(')');
      return members;
    });
    if ((fn === 'choose' || fn === 'logbase' || fn === 'root') && args.length !== 2)
      throw new MathSyntax(`${fn} takes two values`);
    return call(fn, ...args);
  }

  private nested(parse: () => Expr): Expr;
  private nested(parse: () => Expr[]): Expr[];
  private nested<T>(parse: () => T): T {
    this.depth += 1;
    if (this.depth > MATH_LIMITS.depth * 2)
      throw new MathRefusal(`the formula is nested deeper than ${MATH_LIMITS.depth} levels`);
    const value = parse();
    this.depth -= 1;
    return value;
  }

  private startsFactor(): boolean {
    const token = this.tokens[this.at];
    if (token === undefined) return false;
    if (token.kind === 'word') return !['of', 'mod', 'choose'].includes(token.text);
    return token.kind === 'symbol' && token.text === '(';
  }

  /** "7 % 3": a remainder where a value follows, a percentage everywhere else. */
  private isModulo(): boolean {
    const next = this.tokens[this.at + 1];
    return (
      next !== undefined &&
      (next.kind === 'number' ||
        (next.kind === 'word' && next.text !== 'of' && next.text !== 'mod') ||
        (next.kind === 'symbol' && next.text === '('))
    );
  }

  /** "17 % -5" */
  private refuseSignedRemainder(): void {
    const [, sign, after] = this.tokens.slice(this.at, this.at + 3);
    if (sign?.kind === 'symbol' && (sign.text === '-' || sign.text === '+') && sign.gap && after?.gap === false)
      throw new MathRefusal(
        '"% -" can mean a remainder or a percentage; please write "mod", or a blank after the sign',
      );
  }

  private modulo(): boolean {
    if (!this.isSymbol('%') || !this.isModulo()) return false;
    if (this.tokens[this.at]?.gap === false && this.tokens[this.at + 1]?.gap === true)
      throw new MathRefusal('"a% b" can mean a remainder or a percentage; please write "a mod b" or "a% of b"');
    this.at += 1;
    return true;
  }

  /** "5 x 3", "5x3": people write the letter for the sign. */
  private timesX(): boolean {
    if (!this.isTimesX()) return false;
    this.at += 1;
    return true;
  }

  private isTimesX(): boolean {
    return this.lonelyX && isWord(this.tokens[this.at], 'x');
  }

  private betweenOperands(i: number): boolean {
    const before = this.tokens[i - 1];
    const after = this.tokens[i + 1];
    const token = this.tokens[i];
    if (before === undefined || after === undefined || token?.kind !== 'word') return false;
    const left =
      (before.kind === 'number' && before.text !== '0') || (before.kind === 'symbol' && ')!%'.includes(before.text));
    return left && (after.kind === 'number' || (token.spaced && after.kind === 'symbol' && after.text === '('));
  }

  private isSymbol(text: string): boolean {
    const token = this.tokens[this.at];
    return token?.kind === 'symbol' && token.text === text;
  }

  private take(text: string): string | null {
    if (!this.isSymbol(text)) return null;
    this.at += 1;
    return text;
  }

  private takeWord(text: string): boolean {
    if (!isWord(this.tokens[this.at], text)) return false;
    this.at += 1;
    return true;
  }

  private expect(text: string): void {
    if (this.take(text) === null) throw new MathSyntax(`"${text}" is missing`);
  }
}

function doubtfulPercent(): MathRefusal {
  return new MathRefusal(
    'the percent sign can belong to the number before it or to more than that; please add brackets',
  );
}

function isWord(token: Token | undefined, text: string): boolean {
  return token?.kind === 'word' && token.text === text;
}
