import { answered, type MathAnswer, refused } from '../domain/math/answer.js';
import { arithmeticSentence, evaluateArithmetic } from '../domain/math/arithmetic.js';
import { conclude, withoutEngine } from '../domain/math/conclude.js';
import { engineInput } from '../domain/math/engine-input.js';
import { factorInteger, primeAnswer } from '../domain/math/factorize.js';
import { MathRefusal, MathUndefined } from '../domain/math/limits.js';
import { parseMathQuery } from '../domain/math/query.js';
import { solveWithoutEngine } from '../domain/math/solve.js';
import type { MathTask, SymbolicTask } from '../domain/math/tasks.js';
import { type CasResult, CasThread } from './cas-thread.js';

export interface MathEngineOptions {
  /** wall clock for one symbolic calculation, milliseconds; 2,000 when absent */
  readonly timeoutMs?: number;
  /** symbolic calculations that may wait; 64 when absent */
  readonly queueLimit?: number;
  /** heap of the symbolic engine, megabytes; 128 when absent */
  readonly heapMb?: number;
}

const FAILURES: Readonly<Record<(CasResult & { kind: 'failed' })['why'], string>> = {
  timeout: 'the calculation took too long',
  crash: 'the calculation needed too much memory',
  busy: 'too many calculations are waiting; please try again in a moment',
  aborted: 'the calculation was given up',
  closed: 'the calculator is closed',
};

/**
 * Mathematics for the math agent. Arithmetic is computed here and now; algebra and calculus by a symbolic engine in a
 * thread, whose results are given only when an independent numerical method agrees.
 */
export class MathEngine {
  private readonly cas: CasThread;

  constructor(options: MathEngineOptions = {}) {
    this.cas = new CasThread({
      entry: new URL('./cas.worker.js', import.meta.url),
      timeoutMs: options.timeoutMs ?? 2_000,
      queueLimit: options.queueLimit ?? 64,
      heapMb: options.heapMb ?? 128,
    });
  }

  /** Never rejects: what cannot be answered is `refused` with a reason for a person, or `not_math`. */
  async solve(query: string, turn?: Pick<AbortController, 'signal'>): Promise<MathAnswer> {
    const task = parseMathQuery(query);
    if (task === null) return { kind: 'not_math' };
    if (task.kind === 'refused') return refused(task.reason);
    if (task.kind === 'prime') return this.decidePrime(task);
    return task.kind === 'arithmetic' ? this.calculate(task) : this.derive(task, turn?.signal);
  }

  /** Ends the thread; calculations under way are refused. */
  close(): Promise<void> {
    return this.cas.close();
  }

  private calculate(task: MathTask & { kind: 'arithmetic' }): MathAnswer {
    const result = evaluateArithmetic(task.expr);
    if (result.kind === 'refused') return refused(result.reason);
    const text = arithmeticSentence(task.expr, result);
    if (result.kind === 'undefined') return answered(task.kind, text, 'undefined', [`No value: ${result.reason}.`]);
    const how = result.rounded
      ? 'Enclosed by integer arithmetic, rounded to 12 significant digits.'
      : 'Computed with exact fractions.';
    return answered(task.kind, text, result.exact, [how]);
  }

  private decidePrime(task: MathTask & { kind: 'prime' }): MathAnswer {
    try {
      return primeAnswer(task);
    } catch (problem) {
      if (problem instanceof MathRefusal || problem instanceof MathUndefined) return refused(problem.message);
      throw problem;
    }
  }

  private async derive(task: SymbolicTask, signal: AbortSignal | undefined): Promise<MathAnswer> {
    try {
      const known = factorInteger(task) ?? (task.kind === 'solve' ? solveWithoutEngine(task) : null);
      if (known !== null) return known;
      const result = await this.cas.run(engineInput(task), signal);
      if (result.kind === 'output') return conclude(task, result.text);
      if (result.kind === 'none') return withoutEngine(task) ?? refused('I could not find a result that I can verify');
      return refused(FAILURES[result.why]);
    } catch (problem) {
      if (problem instanceof MathRefusal || problem instanceof MathUndefined) return refused(problem.message);
      throw problem;
    }
  }
}
