import type { MathAnswer } from './answer.js';
import { answered, refused } from './answer.js';
import { type Expr, variablesOf } from './ast.js';
import { evaluate } from './evaluate.js';
import { printFormula } from './print.js';
import { gcd } from './rational.js';
import type { MathTask, SymbolicTask } from './tasks.js';
import { asRational } from './value.js';
import { correct, incorrect, type MathVerdict, unverifiable } from './verdict.js';

/** Below it the first thirteen primes as witnesses decide without error (Sorenson and Webster, 2015). */
const LARGEST = 3_317_044_064_679_887_385_961_981n;
const WITNESSES = [2n, 3n, 5n, 7n, 11n, 13n, 17n, 19n, 23n, 29n, 31n, 37n, 41n];
const TOO_LARGE = 'prime factors are computed up to about 3.3 * 10^24';
/** Steps of the search for one factor: some tens of milliseconds. */
const MOST_STEPS = 60_000;

function power(base: bigint, exponent: bigint, modulus: bigint): bigint {
  let result = 1n;
  let square = base % modulus;
  for (let rest = exponent; rest > 0n; rest >>= 1n) {
    if (rest & 1n) result = (result * square) % modulus;
    square = (square * square) % modulus;
  }
  return result;
}

/** Decides whether a whole number is prime; null from 3.3 * 10^24 up, where this method is no proof. */
export function isPrime(n: bigint): boolean | null {
  if (n < 2n) return false;
  for (const p of WITNESSES) if (n % p === 0n) return n === p;
  if (n >= LARGEST) return null;
  let odd = n - 1n;
  let twos = 0;
  for (; odd % 2n === 0n; odd /= 2n) twos += 1;
  return WITNESSES.every((witness) => {
    let x = power(witness, odd, n);
    if (x === 1n || x === n - 1n) return true;
    for (let i = 1; i < twos; i += 1) {
      x = (x * x) % n;
      if (x === n - 1n) return true;
    }
    return false;
  });
}

/** A divisor of an odd composite number by Pollard's method; null when its steps are used up. */
function divisorOf(n: bigint): bigint | null {
  let left = MOST_STEPS;
  for (let c = 1n; left > 0; c += 1n) {
    const next = (x: bigint): bigint => (x * x + c) % n;
    let slow = 2n;
    let fast = 2n;
    for (let found = 1n; left > 0;) {
      let product = 1n;
      const [startSlow, startFast] = [slow, fast];
      for (let i = 0; i < 64; i += 1) {
        slow = next(slow);
        fast = next(next(fast));
        product = (product * (slow - fast)) % n;
      }
      left -= 64;
      found = gcd(product, n);
      if (found === 1n) continue;
      [slow, fast] = [startSlow, startFast];
      do {
        slow = next(slow);
        fast = next(next(fast));
        found = gcd(slow - fast, n);
      } while (found === 1n);
      if (found === n) break;
      return found;
    }
  }
  return null;
}

/** Prime factors in rising order; null where they cannot be found within the limits. */
function primeFactors(n: bigint): bigint[] | null {
  const primes: bigint[] = [];
  const open: bigint[] = [];
  let rest = n;
  for (let p = 2n; p < 1_000n; p += p === 2n ? 1n : 2n) for (; rest % p === 0n; rest /= p) primes.push(p);
  if (rest > 1n) open.push(rest);
  for (let part = open.pop(); part !== undefined; part = open.pop()) {
    const prime = isPrime(part);
    if (prime === null) return null;
    if (prime) {
      primes.push(part);
      continue;
    }
    const divisor = divisorOf(part);
    if (divisor === null) return null;
    open.push(divisor, part / divisor);
  }
  return primes.sort((a, b) => (a < b ? -1 : a > b ? 1 : 0));
}

function product(primes: readonly bigint[]): string {
  const counts = new Map<bigint, number>();
  for (const p of primes) counts.set(p, (counts.get(p) ?? 0) + 1);
  return [...counts].map(([p, count]) => (count === 1 ? `${p}` : `${p}^${count}`)).join('*');
}

/** The whole number that a formula without variables stands for, or null. */
function wholeNumber(e: Expr): bigint | null {
  if (variablesOf(e).length > 0) return null;
  const q = asRational(evaluate(e));
  return q !== null && q.d === 1n ? q.n : null;
}

/** "factor 360", "factor 2^61 - 1": prime factors, in exact integers; null when the task is another one. */
export function factorInteger(task: SymbolicTask): MathAnswer | null {
  if (task.kind !== 'rewrite' || task.how !== 'factor' || variablesOf(task.expr).length > 0) return null;
  const n = wholeNumber(task.expr);
  if (n === null || n < 2n) return refused('prime factors are defined for whole numbers from 2 up');
  if (n >= LARGEST) return refused(TOO_LARGE);
  const primes = primeFactors(n);
  if (primes === null) return refused('the prime factors of this number take too long to find');
  const subject = task.expr.kind === 'number' ? `${n}` : `${printFormula(task.expr)} = ${n}`;
  if (primes.length === 1)
    return answered('rewrite', `${subject} is a prime number.`, `${n}`, ['A proven test of primality was passed.']);
  const text = product(primes);
  return answered('rewrite', `${subject} factors as ${text}.`, text, [
    'Every factor passed a proven test of primality; the product was computed again.',
  ]);
}

/** "is 91 prime": the answer with the factors, where they are found. */
export function primeAnswer(task: MathTask & { kind: 'prime' }): MathAnswer {
  const n = wholeNumber(task.expr);
  if (n === null || n < 0n) return refused('only whole numbers from 0 up can be prime');
  const prime = isPrime(n);
  if (prime === null) return refused('whether a number is prime is decided up to about 3.3 * 10^24');
  if (prime) return answered('prime', `${n} is a prime number.`, 'prime', ['A proven test of primality was passed.']);
  const factors = n < 2n || n >= LARGEST ? null : primeFactors(n);
  const why = factors === null ? '' : `: ${n} = ${product(factors)}`;
  return answered('prime', `${n} is not a prime number${why}.`, 'not prime', [
    'A proven test of primality was failed.',
  ]);
}

/** Judges "17 is a prime number" and "91 is not a prime number: 91 = 7*13" by dividing, where that ends. */
export function judgePrime(expr: Expr, answer: string): MathVerdict {
  const n = wholeNumber(expr);
  if (n === null || !/\bprime\b/.test(answer))
    return unverifiable('the answer does not say whether the number is prime');
  const prime = n < 10n ** 12n ? hasNoDivisor(n) : isPrime(n);
  if (prime === null) return unverifiable('the number is too large to decide it');
  const denies = /\bnot (?:a )?prime\b|\bno\b/.test(answer);
  if (prime === denies) return incorrect(prime ? 'it has no divisor' : 'it has a divisor');
  const claimed = /= *([\d*^]+)$/.exec(answer)?.[1];
  return claimed === undefined || prime || productOf(claimed) === n
    ? correct('decided again')
    : incorrect('the product is another number');
}

function hasNoDivisor(n: bigint): boolean {
  const size = Number(n);
  if (size < 2) return false;
  for (let p = 2; p * p <= size; p += 1) if (size % p === 0) return false;
  return true;
}

function productOf(text: string): bigint {
  return text.split('*').reduce((all, part) => {
    const [base = '0', exponent = '1'] = part.split('^');
    return Number(exponent) > 100 ? 0n : all * BigInt(base) ** BigInt(exponent);
  }, 1n);
}
