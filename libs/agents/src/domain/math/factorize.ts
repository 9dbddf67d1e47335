import type { MathAnswer } from './answer.js';
import { answered, refused } from './answer.js';
import type { SymbolicTask } from './tasks.js';

const LARGEST = 10n ** 12n;

/** "factor 360": prime factors by trial division, up to 10^12; null when the task is another one. */
export function factorInteger(task: SymbolicTask): MathAnswer | null {
  if (task.kind !== 'rewrite' || task.how !== 'factor' || task.expr.kind !== 'number' || task.expr.value.d !== 1n)
    return null;
  const n = task.expr.value.n;
  if (n < 2n) return refused('prime factors are defined for whole numbers from 2 up');
  if (n > LARGEST) return refused('prime factors are computed up to 1,000,000,000,000');
  const powers: string[] = [];
  let rest = Number(n);
  for (let p = 2; p * p <= rest; p += p === 2 ? 1 : 2) {
    let count = 0;
    for (; rest % p === 0; rest /= p) count += 1;
    if (count > 0) powers.push(count === 1 ? String(p) : `${p}^${count}`);
  }
  if (rest > 1) powers.push(String(rest));
  const text = powers.join('*');
  if (text === String(n))
    return answered('rewrite', `${text} is a prime number.`, text, [
      `No smaller prime up to its square root divides ${text}.`,
    ]);
  return answered('rewrite', `${n} factors as ${text}.`, text, ['Trial division; the product was computed again.']);
}
