/** What a row is given: a folder of its own, which is removed afterwards, and how many rounds count. */
export interface RowContext {
  readonly folder: string;
  readonly rounds: number;
  /** Share of the usual amount of work, 0 to 1; less for a quick look. */
  readonly scale: number;
  /** Says what is under way, to a person who watches. */
  readonly say: (what: string) => void;
}

/** How a figure moves with the speed of the processor: a rate with it, a time against it, a share not at all. */
export type Scaling = 'rate' | 'time' | 'none';

/** What is asked of a figure. */
export interface Aim {
  readonly what: string;
  readonly sense: '>=' | '<' | '<=';
  readonly wanted: number;
  readonly figure: number;
  readonly scaling: Scaling;
}

/** One line of the table. */
export interface Line {
  readonly name: string;
  readonly unit: string;
  /** Median of the rounds. */
  readonly figure: number;
  /** Median of the rounds; null where the row has none. */
  readonly baseline: number | null;
  readonly baselineName: string;
  /** See pairedRatio. */
  readonly ratio: number | null;
  readonly aims: readonly Aim[];
  /** What else was seen, for the note below the table and for the file. */
  readonly details: Readonly<Record<string, number | string>>;
}

export interface Row {
  /** What is written after `npm run bench --`. */
  readonly name: string;
  readonly run: (context: RowContext) => Promise<readonly Line[]>;
}

export function atLeast(what: string, figure: number, wanted: number, scaling: Scaling = 'none'): Aim {
  return { what, sense: '>=', wanted, figure, scaling };
}

export function below(what: string, figure: number, wanted: number, scaling: Scaling = 'none'): Aim {
  return { what, sense: '<', wanted, figure, scaling };
}

export function atMost(what: string, figure: number, wanted: number, scaling: Scaling = 'none'): Aim {
  return { what, sense: '<=', wanted, figure, scaling };
}

/** Whether an aim is met by what its figure would be on a machine `faster` times as fast as the one it was taken on. */
export function isMet({ sense, wanted, figure, scaling }: Aim, faster = 1): boolean {
  const value = scaling === 'none' ? figure : scaling === 'rate' ? figure * faster : figure / faster;
  if (sense === '>=') return value >= wanted;
  return sense === '<' ? value < wanted : value <= wanted;
}
