import type { Fault, FaultPlan, FaultRates } from '../../libs/event-store/src/faults/fault-plan.js';
import type { Draw } from './draw.js';
import type { PortFault } from './scheduled-stores.js';

interface Rates {
  readonly appends: FaultRates;
  /** Delays and refusals. */
  readonly reads: FaultRates;
}

const WEATHERS = {
  calm: { appends: {}, reads: {} },
  fair: {
    appends: { delay: 0.05, refused: 0.01, lostAnswer: 0.03, late: 0.01, duplicate: 0.02 },
    reads: { delay: 0.05, refused: 0.01 },
  },
  foul: {
    appends: { delay: 0.1, refused: 0.06, lostAnswer: 0.12, late: 0.05, duplicate: 0.05, full: 0.01, crash: 0.01 },
    reads: { delay: 0.1, refused: 0.06 },
  },
  /** Reads are answered, and of every second append nobody knows what became of it. */
  storm: {
    appends: { delay: 0.05, refused: 0.2, lostAnswer: 0.2, late: 0.15, duplicate: 0.05 },
    reads: { delay: 0.05 },
  },
  /** Reads are answered, and of appends hardly half is taken. */
  drought: { appends: { refused: 0.5, lostAnswer: 0.05 }, reads: {} },
} satisfies Record<string, Rates>;

export type WeatherName = keyof typeof WEATHERS;

const SHARES: readonly WeatherName[] = ['calm', 'fair', 'foul', 'foul', 'storm', 'storm', 'drought'];
const MOST_TURNS = 12;

/** What goes wrong in one history, until it clears for good. */
export class Weather {
  private rates: Rates;

  constructor(
    private readonly draw: Draw,
    name: WeatherName = draw.one(SHARES),
  ) {
    this.rates = WEATHERS[name];
  }

  clearUp(): void {
    this.rates = WEATHERS.calm;
  }

  /** Of calls of the event store. */
  readonly plan: FaultPlan = ({ method }) => {
    let left = this.draw.between(0, 999_999) / 1_000_000;
    const rates = method === 'append' ? this.rates.appends : this.rates.reads;
    for (const [kind, rate] of Object.entries(rates) as [Fault['kind'], number][]) {
      left -= rate;
      if (left < 0) return this.faultOf(kind);
    }
    return undefined;
  };

  /** Of calls of the other stores, which fail less often. */
  readonly portFault = (isWrite: boolean): PortFault => {
    const { appends, reads } = this.rates;
    if (this.draw.chance((reads.refused ?? 0) / 2)) return 'refused';
    return isWrite && this.draw.chance((appends.lostAnswer ?? 0) / 2) ? 'lost' : undefined;
  };

  private faultOf(kind: Fault['kind']): Fault {
    if (kind === 'delay' || kind === 'late') return { kind, turns: this.draw.between(1, MOST_TURNS) };
    if (kind === 'crash') return { kind, when: this.draw.one(['before', 'after']) };
    return { kind };
  }
}
