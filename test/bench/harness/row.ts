/** What a row is given: a folder of its own, which is removed afterwards, and how many rounds count. */
export interface RowContext {
  readonly folder: string;
  readonly rounds: number;
  /** Share of the usual amount of work, 0 to 1; less for a quick look. */
  readonly scale: number;
  /** Says what is under way, to a person who watches. */
  readonly say: (what: string) => void;
}

/** What is asked of a figure, and whether it is so. */
export interface Aim {
  readonly text: string;
  readonly met: boolean;
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

export function atLeast(what: string, value: number, wanted: number): Aim {
  return { text: `${what} >= ${wanted.toLocaleString('en')}`, met: value >= wanted };
}

export function below(what: string, value: number, wanted: number): Aim {
  return { text: `${what} < ${wanted.toLocaleString('en')}`, met: value < wanted };
}

export function atMost(what: string, value: number, wanted: number): Aim {
  return { text: `${what} <= ${wanted.toLocaleString('en')}`, met: value <= wanted };
}
