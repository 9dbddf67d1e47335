import { spawnSync } from 'node:child_process';
import { type MathAnswer, MathEngine, verifyMathAnswer } from './index.js';
import { CasThread, type CasThreadOptions } from './cas-thread.js';

/** A calculation that is not meant to be given up ends long before, on a loaded machine too. */
const PATIENCE_MS = 120_000;

function said(answer: MathAnswer): string {
  return answer.kind === 'answer' ? answer.text : answer.kind === 'refused' ? `refused: ${answer.reason}` : 'not math';
}

describe('the math engine', () => {
  const engine = new MathEngine({ timeoutMs: PATIENCE_MS });
  afterAll(() => engine.close());

  it.each([
    ['12.5% of 80', '12.5% of 80 is 10.'],
    ['1 / 0', '1 / 0 has no value: division by zero is not defined.'],
    ['Integrate x^2 dx', 'The integral of x^2 with respect to x is x^3/3 + C.'],
    ['∫ x² dx', 'The integral of x^2 with respect to x is x^3/3 + C.'],
    ['integral of 1/x', 'The integral of 1/x with respect to x is ln(abs(x)) + C.'],
    ['integral of 2x', 'The integral of 2*x with respect to x is x^2 + C.'],
    ['integrate x*e^x dx', 'The integral of x*e^x with respect to x is x*e^x - e^x + C.'],
    ['integrate cos(t) dt', 'The integral of cos(t) with respect to t is sin(t) + C.'],
    ['integrate ln(x)', 'The integral of ln(x) with respect to x is x*ln(x) - x + C.'],
    ['integral of x^2 from 0 to 3', 'The integral of x^2 with respect to x from 0 to 3 is 9.'],
    ['integrate sin(x) from 0 to pi', 'The integral of sin(x) with respect to x from 0 to pi is 2.'],
    [
      'integrate sqrt(1-x^2) from 0 to 1',
      'The integral of sqrt(1 - x^2) with respect to x from 0 to 1 is about 0.785398163397 (exactly pi/4).',
    ],
    ['integrate e^(-x^2) from 0 to 1', 'The integral of e^(-x^2) with respect to x from 0 to 1 is about 0.746824133.'],
    ['derivative of sin(x)^2', 'The derivative of sin(x)^2 with respect to x is 2*sin(x)*cos(x).'],
    ['differentiate x^3 + 2x', 'The derivative of x^3 + 2*x with respect to x is 3*x^2 + 2.'],
    ['d/dx of e^x', 'The derivative of e^x with respect to x is e^x.'],
    ['derivative of e^(x^2)', 'The derivative of e^(x^2) with respect to x is 2*x*e^(x^2).'],
    ['second derivative of x^4', 'The second derivative of x^4 with respect to x is 12*x^2.'],
    ['derivative of a*x^2 with respect to x', 'The derivative of a*x^2 with respect to x is 2*a*x.'],
    ['derivative of x^2 at x = 3', 'The derivative of x^2 with respect to x at x = 3 is 6.'],
    ['derivative of log(x)', 'The derivative of log10(x) with respect to x is 1/(x*ln(10)).'],
    ['derivative of ln(x)', 'The derivative of ln(x) with respect to x is 1/x.'],
    ['derivative of sqrt(x)', 'The derivative of sqrt(x) with respect to x is 1/(2*sqrt(x)).'],
    ['solve x^2 - 5x + 6 = 0', 'The solutions of x^2 - 5*x + 6 = 0 are x = 2 and x = 3.'],
    ['solve 2x + 3 = 11 for x', 'The solution of 2*x + 3 = 11 is x = 4.'],
    ['solve x^2 = 2', 'The solutions of x^2 = 2 are x = -sqrt(2) and x = sqrt(2).'],
    ['solve x^2 + 1 = 0', 'x^2 + 1 = 0 has no real solutions.'],
    ['solve x = x', 'x = x holds for every x for which both sides are defined.'],
    ['solve (x-1)^2 = 0', 'The solution of (x - 1)^2 = 0 is x = 1.'],
    ['solve x^5 - x - 1 = 0', 'The solution of x^5 - x - 1 = 0 is x = 1.167303978 (rounded).'],
    ['solve 2^x = 8', 'A solution of 2^x = 8 is x = 3 (there may be others).'],
    ['solve a*x + b = 0 for x', 'A solution of a*x + b = 0 is x = -b/a (there may be others).'],
    ['simplify (x^2-1)/(x-1)', '(x^2 - 1)/(x - 1) simplifies to x + 1 where it is defined.'],
    ['simplify sin(x)^2 + cos(x)^2', 'sin(x)^2 + cos(x)^2 simplifies to 1.'],
    ['expand (x+1)^3', '(x + 1)^3 expands to x^3 + 3*x^2 + 3*x + 1.'],
    ['factor x^2-5x+6', 'x^2 - 5*x + 6 factors as (x - 2)*(x - 3).'],
    ['factor x^2 + 1', 'x^2 + 1 does not factor further over the rational numbers.'],
    ['factor 360', '360 factors as 2^3*3^2*5.'],
    ['factor 2^61 - 1', '2^61 - 1 = 2305843009213693951 is a prime number.'],
    ['factor 2^67 - 1', '2^67 - 1 = 147573952589676412927 factors as 193707721*761838257287.'],
    ['factor 99999999999999999999', '99999999999999999999 factors as 3^2*11*41*101*271*3541*9091*27961.'],
    ['is 17 prime?', '17 is a prime number.'],
    ['is 91 a prime number?', '91 is not a prime number: 91 = 7*13.'],
    ['is 561 prime', '561 is not a prime number: 561 = 3*11*17.'],
    ['is 1 prime', '1 is not a prime number.'],
    ['is 2^61 - 1 prime?', '2305843009213693951 is a prime number.'],
    ['limit of sin(x)/x as x -> 0', 'The limit of sin(x)/x as x approaches 0 is 1.'],
    ['limit of (1-cos(x))/x^2 as x approaches 0', 'The limit of (1 - cos(x))/x^2 as x approaches 0 is 1/2.'],
    ['limit of e^x/x as x -> infinity', 'The limit of e^x/x as x approaches infinity is infinity.'],
    ['limit of 1/x as x -> 0', 'The limit of 1/x as x approaches 0 does not exist: the two sides go different ways.'],
  ])('%s: %s', async (query, expected) => {
    const answer = await engine.solve(query);
    expect(said(answer)).toBe(expected);
    expect(verifyMathAnswer(query, said(answer)).verdict).toBe('correct');
  });

  it.each([
    'integrate x^x',
    'integrate 1/x from -1 to 1',
    'integrate 1/x^2 from -1 to 1',
    'integrate tan(x) from 0 to 2',
    'limit of sin(1/x) as x -> 0',
    'expand (x+1)^1000',
    'derivative of x!',
    'factor x^100 - 1',
    'factor 2^90 - 1',
    'integrate floor(x)',
    'solve floor(x) = 2',
    '9^9^9^9',
  ])('%s is refused rather than answered unproven', async (query) => {
    expect((await engine.solve(query)).kind).toBe('refused');
  });

  it.each(['who am i', '2024-05-01', 'covid-19', '__proto__', 'import("fs")', ''])(
    '%j is left to others',
    async (query) => {
      expect(await engine.solve(query)).toEqual({ kind: 'not_math' });
    },
  );

  it('answers in the order asked, many at a time', async () => {
    const answers = await Promise.all(Array.from({ length: 40 }, (_, i) => engine.solve(`derivative of ${i + 2}x`)));
    expect(answers.map(said)).toEqual(
      Array.from({ length: 40 }, (_, i) => `The derivative of ${i + 2}*x with respect to x is ${i + 2}.`),
    );
  });
});

describe('the symbolic thread', () => {
  /** A worker of our protocol that misbehaves on demand; anything else it gives back. */
  const entry = new URL(
    `data:text/javascript,${encodeURIComponent(`
      import { parentPort } from 'node:worker_threads';
      parentPort.on('message', ({ id, input }) => {
        if (input === 'hang') for (;;);
        if (input === 'crash') process.exit(3);
        if (input === 'throw') throw new Error('broken');
        if (input === 'eat') for (const kept = []; ; ) kept.push(new Array(1e5).fill({}));
        parentPort.postMessage({ id, output: input === 'nothing' ? null : input });
      });
    `)}`,
  );
  const hang = 'hang';
  const open: CasThread[] = [];
  const thread = (options: Partial<CasThreadOptions> = {}): CasThread => {
    const made = new CasThread({ entry, timeoutMs: PATIENCE_MS, queueLimit: 4, heapMb: 64, ...options });
    open.push(made);
    return made;
  };
  afterEach(() => Promise.all(open.splice(0).map((t) => t.close())));

  it('gives up a request that never ends, and serves the next one from a fresh thread', async () => {
    // The clock stands but where the test moves it: how long a thread takes to start must not count.
    jest.useFakeTimers();
    try {
      const cas = thread({ timeoutMs: 700 });
      const [lost, next] = [cas.run(hang), cas.run('x')];
      jest.advanceTimersByTime(700);
      expect(await lost).toEqual({ kind: 'failed', why: 'timeout' });
      expect(await next).toEqual({ kind: 'output', text: 'x' });
    } finally {
      jest.useRealTimers();
    }
  });

  it('gives up the running request when its caller does', async () => {
    const cas = thread();
    const stop = new AbortController();
    const lost = cas.run(hang, stop.signal);
    const waiting = cas.run(hang, stop.signal);
    stop.abort();
    expect(await lost).toEqual({ kind: 'failed', why: 'aborted' });
    expect(await waiting).toEqual({ kind: 'failed', why: 'aborted' });
    expect(await cas.run('x')).toEqual({ kind: 'output', text: 'x' });
    expect(await cas.run('x', AbortSignal.abort())).toEqual({ kind: 'failed', why: 'aborted' });
  });

  it('refuses more requests than may wait', async () => {
    const cas = thread({ queueLimit: 1 });
    const first = cas.run(hang);
    const second = cas.run('1+1');
    expect(await cas.run('1+1')).toEqual({ kind: 'failed', why: 'busy' });
    await cas.close();
    expect(await first).toEqual({ kind: 'failed', why: 'closed' });
    expect(await second).toEqual({ kind: 'failed', why: 'closed' });
    expect(await cas.run('1+1')).toEqual({ kind: 'failed', why: 'closed' });
  });

  it.each(['crash', 'throw', 'eat'])('outlives a thread that ends by itself: %s', async (input) => {
    const cas = thread();
    const [lost, next] = await Promise.all([cas.run(input), cas.run('x')]);
    expect(lost).toEqual({ kind: 'failed', why: 'crash' });
    expect(next).toEqual({ kind: 'output', text: 'x' });
  });

  it('tells no result from a result', async () => {
    expect(await thread().run('nothing')).toEqual({ kind: 'none' });
  });

  it('has no result where the engine throws, and keeps what the engine tells the console', async () => {
    const cas = thread({ entry: new URL('./cas.worker.js', import.meta.url), heapMb: 128 });
    expect(await cas.run('((')).toEqual({ kind: 'none' });
    expect(await cas.run('integrate(x^x,x)')).toEqual({ kind: 'output', text: 'integrate(x^x,x)' });
  });

  it('lets the process end while it is idle', () => {
    const built = new URL('./cas.worker.js', import.meta.url);
    const script = `
      import { CasThread } from ${JSON.stringify(new URL('./cas-thread.js', built).href)};
      const cas = new CasThread({ entry: new URL(${JSON.stringify(built.href)}), timeoutMs: 60000, queueLimit: 4, heapMb: 128 });
      process.stdout.write((await cas.run('integrate(x^x,x)')).kind);`;
    const run = spawnSync(process.execPath, ['--input-type=module', '-e', script], {
      timeout: PATIENCE_MS,
      encoding: 'utf8',
    });
    expect(run).toMatchObject({ status: 0, signal: null, stdout: 'output', stderr: '' });
  });
});
