import { type History, runHistory } from './history.js';
import { faultsOf } from './invariants.js';
import { type Mutant, MUTANTS } from './mutants.js';

const FIRST = wholeNumber('MACE_TEST_SEED', 1);
const COUNT = Math.max(1, wholeNumber('MACE_SIMULATION_SEEDS', 10));
/** Within so many seeds each mutant is found. */
const SEEDS_FOR_A_MUTANT = 40;

// However slow the machine is: what has no end is found by the scheduler.
jest.setTimeout(180_000 + COUNT * 20_000);

describe('a system whose stores fail, lose answers and are late, and whose processes die', () => {
  it(`keeps its promises under each of ${COUNT} seeds from ${FIRST} on`, async () => {
    const failures: string[] = [];
    for (let seed = FIRST; seed < FIRST + COUNT; seed++) {
      const failure = await failureUnder(seed);
      if (failure !== null) failures.push(failure);
    }
    if (failures.length > 0) throw new Error(`${failures.length} of ${COUNT} histories fail\n${failures.join('\n')}`);
  });

  it('goes the same way again under the same seed, step for step', async () => {
    const first = await runHistory(FIRST);
    const again = await runHistory(FIRST);
    expect(again.trace).toEqual(first.trace);
    expect(again.digest).toBe(first.digest);
    expect((await runHistory(FIRST + 1)).digest).not.toBe(first.digest);
  });
});

describe('the invariants of a history', () => {
  it('leave no timer behind', async () => {
    const history = await runHistory(FIRST);
    const { setTimeout, clearTimeout } = globalThis;
    const begun: NodeJS.Timeout[] = [];
    const ended = new Set<unknown>();
    const set = (...call: Parameters<typeof setTimeout>): NodeJS.Timeout => {
      begun.push(setTimeout(...call));
      return begun.at(-1)!;
    };
    const clear = (timer: NodeJS.Timeout | undefined): void => {
      ended.add(timer);
      clearTimeout(timer);
    };
    Object.assign(globalThis, { setTimeout: set, clearTimeout: clear });
    try {
      expect(await faultsOf(history)).toEqual([]);
    } finally {
      Object.assign(globalThis, { setTimeout, clearTimeout });
    }
    expect(begun).not.toHaveLength(0);
    expect(begun.filter((timer) => !ended.has(timer))).toEqual([]);
  });

  it.each(MUTANTS)(`find $name within ${SEEDS_FOR_A_MUTANT} seeds`, async (mutant) => {
    for (let seed = 1; seed <= SEEDS_FOR_A_MUTANT; seed++) if (await isFound(mutant, seed)) return;
    throw new Error(`${mutant.name} keeps every promise under ${SEEDS_FOR_A_MUTANT} seeds`);
  });
});

/** What is wrong under a seed, and how to see it again; null where nothing is. */
async function failureUnder(seed: number): Promise<string | null> {
  let history: History | undefined;
  try {
    history = await runHistory(seed, { stacks: COUNT === 1 });
    const faults = await faultsOf(history);
    if (faults.length === 0) return null;
    return report(seed, faults, history);
  } catch (error) {
    return report(seed, [error instanceof Error ? (error.stack ?? error.message) : String(error)], history);
  }
}

function report(seed: number, faults: readonly string[], history: History | undefined): string {
  const notes = COUNT === 1 && history ? ['', ...history.notes, ...history.trace] : [];
  return [
    `seed ${seed}:`,
    ...faults.map((fault) => `  ${fault}`),
    `  to see it again, with every step: ` +
      `MACE_TEST_SEED=${seed} MACE_SIMULATION_SEEDS=1 npm test -- test/simulation -t promises`,
    ...notes,
  ].join('\n');
}

async function isFound(mutant: Mutant, seed: number): Promise<boolean> {
  const mend = mutant.break?.();
  let history: History;
  try {
    history = await runHistory(seed, mutant.options);
  } catch {
    // So broken that it does not come to its end: the invariants find it under another seed.
    return false;
  } finally {
    mend?.();
  }
  const faults = await faultsOf(history);
  return faults.some((fault) => mutant.breaks.some((invariant) => fault.startsWith(invariant)));
}

/** @throws Error for what is no whole number */
function wholeNumber(name: string, otherwise: number): number {
  const given = Number(process.env[name] ?? otherwise);
  if (!Number.isSafeInteger(given)) throw new Error(`${name}: a whole number, not ${process.env[name]}`);
  return given;
}
