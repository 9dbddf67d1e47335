/** What a series is told apart by once there are too many of them. */
const OTHER = 'other';
/** Labels come from bounded lists; should one not, memory and scrapes stay bounded all the same. */
const MAX_SERIES = 2000;

/** A series' label values, and what was counted of it. */
export interface Series<T> {
  readonly labels: Readonly<Record<string, string>>;
  readonly value: T;
}

/** One value for each combination of label values; a combination is one text, its values apart by spaces. */
class SeriesMap<T> {
  private readonly values = new Map<string, T>();

  constructor(
    private readonly labels: readonly string[],
    private readonly fresh: () => T,
  ) {}

  of(key: string): T {
    return this.values.get(key) ?? this.begun(key);
  }

  set(key: string, value: T): void {
    this.values.set(this.placeOf(key), value);
  }

  all(): readonly Series<T>[] {
    return [...this.values].map(([key, value]) => {
      const parts = key.split(' ');
      return { labels: Object.fromEntries(this.labels.map((label, i) => [label, parts[i] ?? ''])), value };
    });
  }

  private begun(key: string): T {
    const place = this.placeOf(key);
    const value = this.values.get(place) ?? this.fresh();
    this.values.set(place, value);
    return value;
  }

  private placeOf(key: string): string {
    if (this.values.has(key) || this.values.size < MAX_SERIES) return key;
    return this.labels.map(() => OTHER).join(' ');
  }
}

/** A count for each series, which only grows; counting is one step in a map, and whoever reads it does the rest. */
export class Tally {
  private readonly series: SeriesMap<number>;

  constructor(labels: readonly string[] = []) {
    this.series = new SeriesMap(labels, () => 0);
    if (labels.length === 0) this.series.set('', 0);
  }

  /** @param key the values of the labels in their order, apart by spaces */
  count(key = ''): void {
    this.series.set(key, this.series.of(key) + 1);
  }

  all(): readonly Series<number>[] {
    return this.series.all();
  }
}

/** How often, and how much of something, by upper bounds. */
export interface Distribution {
  /** So many up to each bound and above the one before; the last beyond all of them. */
  readonly counts: number[];
  sum: number;
}

/** Durations in seconds, by upper bounds, for each series. */
export class Durations {
  private readonly series: SeriesMap<Distribution>;

  constructor(
    labels: readonly string[],
    /** Rising. */
    readonly bounds: readonly number[],
  ) {
    this.series = new SeriesMap(labels, () => ({ counts: new Array<number>(bounds.length + 1).fill(0), sum: 0 }));
  }

  observe(seconds: number, key = ''): void {
    const distribution = this.series.of(key);
    let at = 0;
    while (at < this.bounds.length && seconds > this.bounds[at]!) at++;
    distribution.counts[at]!++;
    distribution.sum += seconds;
  }

  all(): readonly Series<Distribution>[] {
    return this.series.all();
  }
}
