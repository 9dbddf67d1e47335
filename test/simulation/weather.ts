import type { Fault, FaultPlan, FaultRates } from '../../libs/event-store/src/faults/fault-plan.js';
import type { Draw } from './draw.js';
import type { PortFault } from './scheduled-stores.js';

const WEATHERS = {
  calm: {},
  fair: { delay: 0.05, refused: 0.01, lostAnswer: 0.03, late: 0.01, duplicate: 0.02 },
  foul: { delay: 0.1, refused: 0.06, lostAnswer: 0.12, late: 0.05, duplicate: 0.05, full: 0.01, crash: 0.004 },
  /** Reads are answered, and of appends nobody knows. */
  storm: { delay: 0.05, lostAnswer: 0.3, late: 0.2, duplicate: 0.05 },
} satisfies Record<string, FaultRates>;

export type WeatherName = keyof typeof WEATHERS;

const SHARES: readonly WeatherName[] = ['calm', 'fair', 'foul', 'foul', 'storm', 'storm'];
const MOST_TURNS = 12;

/** What goes wrong in one history, until it clears for good. */
export class Weather {
  private readonly rates: FaultRates;
  private clear = false;

  constructor(
    private readonly draw: Draw,
    name: WeatherName = draw.one(SHARES),
  ) {
    this.rates = WEATHERS[name];
  }

  clearUp(): void {
    this.clear = true;
  }

  /** Of calls of the event store. */
  readonly plan: FaultPlan = ({ method }) => {
    if (this.clear) return undefined;
    let left = this.draw.between(0, 999_999) / 1_000_000;
    for (const [kind, rate] of Object.entries(this.rates) as [Fault['kind'], number][]) {
      left -= rate;
      if (left >= 0) continue;
      return method === 'append' || kind === 'delay' || kind === 'refused' ? this.faultOf(kind) : undefined;
    }
    return undefined;
  };

  /** Of calls of the other stores. */
  readonly portFault = (isWrite: boolean): PortFault => {
    const { refused = 0, lostAnswer = 0 }: FaultRates = this.clear ? WEATHERS.calm : this.rates;
    if (this.draw.chance(refused / 2)) return 'refused';
    return isWrite && this.draw.chance(lostAnswer / 2) ? 'lost' : undefined;
  };

  private faultOf(kind: Fault['kind']): Fault {
    if (kind === 'delay' || kind === 'late') return { kind, turns: this.draw.between(1, MOST_TURNS) };
    if (kind === 'crash') return { kind, when: this.draw.one(['before', 'after']) };
    return { kind };
  }
}
