/**
 * What a regular expression of somebody else's costs at one place of a text, at worst. Nothing in it may repeat without
 * end, so it reads a bounded stretch in a bounded number of ways, and the time for a text grows with its length alone.
 * Ways of what follows each other multiply and may be beyond all numbers: who compares asks whether they are within.
 */
export interface Cost {
  /** In how many ways it may match. */
  readonly ways: number;
  /** Signs that are compared in all of them. */
  readonly steps: number;
}

/** Why an expression is none of those; the message follows the name of where it stands. */
export class PatternFault extends Error {}

/** How often something may repeat at most. */
const MOST_REPEATS = 200;
const ESCAPES = /^[bBdDsSwW^$\\.*+?()[\]{}|/-]$/;
const NOTHING: Cost = { ways: 1, steps: 0 };
const SIGN: Cost = { ways: 1, steps: 1 };

/** @throws PatternFault */
export function costOf(source: string): Cost {
  try {
    new RegExp(source, 'u');
  } catch (error) {
    throw new PatternFault(`is no regular expression: ${(error as Error).message}`);
  }
  return new Reader([...source]).whole();
}

/** Reads an expression that has compiled, so that only what is not allowed must be found. */
class Reader {
  private at = 0;
  /** Whether it stands in what looks back, which is matched from its end. */
  private isBack = false;

  constructor(private readonly signs: readonly string[]) {}

  whole(): Cost {
    let either = this.alternative();
    while (this.took('|')) {
      const other = this.alternative();
      either = { ways: either.ways + other.ways, steps: either.steps + other.steps };
    }
    return either;
  }

  /** An empty one is a step too: it is one more way in which what follows is tried. */
  private alternative(): Cost {
    const { ways, steps } = this.sequence();
    return { ways, steps: Math.max(steps, 1) };
  }

  private sequence(): Cost {
    let cost = NOTHING;
    while (this.at < this.signs.length && !['|', ')'].includes(this.signs[this.at]!)) {
      const part = this.repeated(this.atom());
      cost = this.isBack ? followed(part, cost) : followed(cost, part);
    }
    return cost;
  }

  private atom(): Cost {
    const sign = this.signs[this.at++]!;
    if (sign === '(') return this.group();
    if (sign === '[') return this.set();
    if (sign === '\\') this.escape();
    else plainly(sign);
    return SIGN;
  }

  private group(): Cost {
    const around = this.isBack;
    const looks = this.took('?') ? this.kindOfGroup() : false;
    const { ways, steps } = this.whole();
    this.at++;
    this.isBack = around;
    return { ways: looks ? 1 : ways, steps: steps + 1 };
  }

  /** Whether it only looks, ahead or back. */
  private kindOfGroup(): boolean {
    if (this.took(':')) return false;
    const isBack = this.took('<');
    if (this.took('=') || this.took('!')) {
      this.isBack = isBack;
      return true;
    }
    throw new PatternFault(
      isBack ? 'names a group: write (?:…)' : 'has a group of a kind that is not read: write (?:…)',
    );
  }

  /** Each sign of two units in it may be compared by itself. */
  private set(): Cost {
    let steps = 1;
    while (!this.took(']')) {
      const sign = this.signs[this.at++]!;
      steps += sign.length - 1;
      if (sign === '\\') this.escape();
      else plainly(sign);
    }
    return { ways: 1, steps };
  }

  private escape(): void {
    const sign = this.signs[this.at++]!;
    if (!ESCAPES.test(sign)) {
      throw new PatternFault(
        `has \\${sign}: there are \\b \\B \\d \\D \\s \\S \\w \\W, and \\ before a sign that means something else`,
      );
    }
  }

  private repeated(cost: Cost): Cost {
    const before = this.at;
    const [least, most] = this.counts();
    // A second sign makes it take as little as it can, which changes nothing of what it may cost.
    if (this.at > before) this.took('?');
    let all: Cost = { ways: least === 0 ? 1 : 0, steps: 0 };
    let ways = 1;
    for (let times = 1; times <= most; times++) {
      const steps = all.steps + ways * cost.steps;
      ways *= cost.ways;
      all = { ways: all.ways + (times >= least ? ways : 0), steps };
    }
    return all;
  }

  private counts(): readonly [number, number] {
    const sign = this.signs[this.at];
    if (sign === '*' || sign === '+') {
      throw new PatternFault(
        `repeats without end (${sign}): write how often at most, as in {${sign === '*' ? 0 : 1},40}`,
      );
    }
    if (this.took('?')) return [0, 1];
    if (!this.took('{')) return [1, 1];
    const end = this.signs.indexOf('}', this.at);
    const [least = '', most = least] = this.signs.slice(this.at, end).join('').split(',');
    this.at = end + 1;
    if (most === '')
      throw new PatternFault(`repeats without end ({${least},}): write how often at most, as in {${least},40}`);
    if (Number(most) === 0) throw new PatternFault(`repeats 0 times ({${least}}): leave out what is never there`);
    if (Number(most) > MOST_REPEATS) throw new PatternFault(`repeats ${most} times: at most ${MOST_REPEATS}`);
    return [Number(least), Number(most)];
  }

  private took(sign: string): boolean {
    const isThere = this.signs[this.at] === sign;
    if (isThere) this.at++;
    return isThere;
  }
}

function followed(first: Cost, then: Cost): Cost {
  return { ways: first.ways * then.ways, steps: first.steps + first.ways * then.steps };
}

function plainly(sign: string): void {
  if (sign === sign.toLowerCase()) return;
  throw new PatternFault(`has the capital letter ${sign}: queries are read in small letters`);
}
