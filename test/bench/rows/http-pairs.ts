import { message, start, stop } from '../harness/process.js';
import { processorTimeOf } from '../harness/processor-time.js';
import type { RowContext } from '../harness/row.js';
import { interleave, median, pairedRatio } from '../harness/statistics.js';
import { CONNECTIONS, type Server } from './http-side.js';
import type { LoadOrder, LoadResult } from './load-process.js';

/** Short, so that both of a pair meet the same machine, and many, of which the middle one counts. */
const PAIRS_A_ROUND = 4;
const SECONDS = 1;
const LEAST_SECONDS = 0.25;

/** The fields of a row's line that pairs give. */
export interface Pairs {
  /** Requests a second, medians. */
  readonly figure: number;
  readonly baseline: number;
  /** The median of the pairs. */
  readonly ratio: number;
  readonly details: Readonly<Record<string, number>>;
}

export type Asked = Pick<LoadOrder, 'method' | 'headers' | 'bodies'> & { readonly path: string };

interface Loaded {
  readonly perSecond: number;
  readonly p99Ms: number;
  /** Microseconds of the server's processor time an answer; null where the system does not say. */
  readonly cpu: number | null;
}

/**
 * Loads one server, then the other, over and over, by autocannon in a process that stays. Beside the rates it tells what
 * the two take of processor time, which other work on the machine hardly moves.
 * @param ofBaseline what the baseline is asked, where that is another request
 * @throws Error where any answer was not 2xx
 */
export async function inTurn(
  { rounds, scale, say }: RowContext,
  { baseline, measured }: Readonly<Record<'baseline' | 'measured', Server>>,
  ofMeasured: Asked,
  ofBaseline = ofMeasured,
): Promise<Pairs> {
  const loader = start(new URL('./load-process.js', import.meta.url));
  const seconds = Math.max(LEAST_SECONDS, SECONDS * scale);
  const loaded = async ({ url, pid }: Server, { path, ...asked }: Asked): Promise<Loaded> => {
    const before = processorTimeOf(pid);
    const result = message<LoadResult>(loader, 'done');
    loader.send({ ...asked, url: url + path, connections: CONNECTIONS, seconds } satisfies LoadOrder);
    const { perSecond, p99Ms, answered, refused, errors } = await result;
    if (refused > 0 || errors > 0) throw new Error(`${refused} answers were not 2xx, ${errors} requests failed`);
    return { perSecond, p99Ms, cpu: before === null ? null : (processorTimeOf(pid)! - before) / answered };
  };
  try {
    const pairs = await interleave(
      { baseline: () => loaded(baseline, ofBaseline), measured: () => loaded(measured, ofMeasured) },
      {
        rounds: rounds * PAIRS_A_ROUND,
        warmUps: PAIRS_A_ROUND,
        onTask: (task, pair) => say(`pair ${pair}, ${task}`),
      },
    );
    const rates = { baseline: pairs.baseline.map(rateOf), measured: pairs.measured.map(rateOf) };
    return {
      figure: median(rates.measured),
      baseline: median(rates.baseline),
      ratio: pairedRatio(rates.measured, rates.baseline),
      details: {
        ...processorTime(pairs),
        'p99 ms': median(pairs.measured.map(({ p99Ms }) => p99Ms)),
        connections: CONNECTIONS,
        pairs: rates.measured.length,
      },
    };
  } finally {
    await stop(loader);
  }
}

function rateOf({ perSecond }: Loaded): number {
  return perSecond;
}

function processorTime({
  baseline,
  measured,
}: Readonly<Record<'baseline' | 'measured', readonly Loaded[]>>): Pairs['details'] {
  const [ofBaseline, ofMeasured] = [baseline.map(({ cpu }) => cpu ?? 0), measured.map(({ cpu }) => cpu ?? 0)];
  if (ofBaseline.includes(0)) return {};
  return {
    'microseconds of processor time': median(ofMeasured),
    'of the baseline': median(ofBaseline),
    'ratio by processor time': pairedRatio(ofBaseline, ofMeasured),
  };
}
