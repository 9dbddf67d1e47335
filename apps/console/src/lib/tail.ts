import type { FollowedEvent, FollowState } from '#lib/client/browser';

/** Of an event that came, what a row shows; what it says is left to the page of the event. */
export interface TailRow {
  /** Where to go on after it. */
  readonly id: string;
  readonly position: string;
  readonly stream: string;
  readonly revision: number;
  readonly type: string;
  readonly recordedAt: string | undefined;
  readonly actor: string | undefined;
  /** Its stored bytes are not what was signed. */
  readonly isUnverified: boolean;
}

/** How it is being followed. */
export type TailState =
  | FollowState
  | { readonly state: 'connecting' }
  /** As many rows wait as are kept: nothing more is read until they are looked at. */
  | { readonly state: 'held' }
  | { readonly state: 'closed'; readonly reason: string }
  | { readonly state: 'failed'; readonly error: unknown };

export interface TailView {
  readonly rows: readonly TailRow[];
  /** Where to go on to have these rows again; undefined until that is known. */
  readonly start: string | undefined;
  /** Rows that wait while it pauses. */
  readonly waiting: number;
  readonly isPaused: boolean;
  readonly received: number;
  readonly reconnects: number;
  readonly state: TailState;
}

/** Follows the log after an id; from now on where it is undefined. */
export type Follow = (
  after: string | undefined,
  signal: AbortSignal,
  onState: (state: FollowState) => void,
  onId: (id: string) => void,
) => AsyncIterable<FollowedEvent>;

/** So many rows are kept, and so many more may wait. */
export const MOST_ROWS = 2_000;

/**
 * The newest events of a stream. It keeps at most `MOST_ROWS`, and as many that wait while it pauses; then it reads no
 * further, and goes on later after the last event that it has, so that none is left out.
 */
export class Tail {
  private view: TailView = {
    rows: [],
    start: undefined,
    waiting: 0,
    isPaused: false,
    received: 0,
    reconnects: 0,
    state: { state: 'connecting' },
  };
  private came: TailRow[] = [];
  private isPaused = false;
  private received = 0;
  private reconnects = 0;
  private state: TailState = { state: 'connecting' };
  private last: string | undefined;
  private start: string | undefined;
  private isDue = false;
  private resumed: (() => void) | undefined;
  private readonly listeners = new Set<() => void>();

  /**
   * @param after where it begins
   * @param nextFrame calls a function before the page is drawn next
   * @param pausesAt so many rows, with which it begins to pause
   */
  constructor(
    private readonly follow: Follow,
    after: string | undefined,
    private readonly nextFrame: (draw: () => void) => void,
    private pausesAt = Infinity,
  ) {
    this.last = this.start = after;
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  };
  readonly current = (): TailView => this.view;

  /** Until the signal is aborted, or nothing more can come. */
  async run(signal: AbortSignal): Promise<void> {
    try {
      for (let isOver = false; !isOver && !signal.aborted;) {
        isOver = await this.read(signal);
        if (!isOver) await this.held(signal);
      }
    } catch (error) {
      if (!signal.aborted) this.is({ state: 'failed', error });
    }
  }

  pause(): void {
    this.isPaused = true;
    this.changed();
  }

  resume(): void {
    this.isPaused = false;
    this.resumed?.();
    this.changed();
  }

  /** @returns whether nothing more can come; false where as many wait as may */
  private async read(signal: AbortSignal): Promise<boolean> {
    for await (const event of this.follow(
      this.last,
      signal,
      (state) => this.is(state),
      (id) => this.moved(id),
    )) {
      if (event.event === 'closed') {
        this.is({ state: 'closed', reason: (event.data as { readonly reason?: string }).reason ?? 'it ended' });
        return true;
      }
      this.last = event.id;
      this.came.push(rowOf(event));
      this.received += 1;
      this.changed();
      if (this.isPaused && this.came.length >= MOST_ROWS) return false;
      // A page that nobody looks at is not drawn.
      if (this.came.length >= 2 * MOST_ROWS) this.came = this.came.slice(-MOST_ROWS);
    }
    return true;
  }

  /** Past nothing that is shown. */
  private moved(id: string): void {
    this.last = id;
    if (this.received > 0) return;
    this.start = id;
    this.changed();
  }

  private async held(signal: AbortSignal): Promise<void> {
    this.is({ state: 'held' });
    await new Promise<void>((resolve) => {
      this.resumed = resolve;
      signal.addEventListener('abort', () => resolve(), { once: true });
    });
    this.resumed = undefined;
    this.is({ state: 'connecting' });
  }

  private is(state: TailState): void {
    if (state.state === 'waiting') this.reconnects += 1;
    this.state = state;
    this.changed();
  }

  private changed(): void {
    if (this.isDue) return;
    this.isDue = true;
    this.nextFrame(() => this.draw());
  }

  private draw(): void {
    this.isDue = false;
    let { rows } = this.view;
    if (!this.isPaused && this.came.length > 0) {
      const all = [...rows, ...this.came];
      rows = all.slice(-MOST_ROWS);
      this.start = all.at(-MOST_ROWS - 1)?.id ?? this.start;
      this.came = [];
      if (rows.length >= this.pausesAt) {
        this.pausesAt = Infinity;
        this.isPaused = true;
      }
    }
    const { start, isPaused, received, reconnects, state } = this;
    this.view = { rows, start, waiting: this.came.length, isPaused, received, reconnects, state };
    for (const listener of this.listeners) listener();
  }
}

interface Sent {
  readonly position?: string;
  readonly stream?: string;
  readonly revision?: number;
  readonly type?: string;
  readonly recorded_at?: string;
  readonly actor?: { readonly id: string };
}

function rowOf({ id, event, data }: FollowedEvent): TailRow {
  const { position = '', stream = '', revision = 0, type, recorded_at: recordedAt, actor } = data as Sent;
  const isUnverified = event === 'unverified';
  return { id, position, stream, revision, type: type ?? event, recordedAt, actor: actor?.id, isUnverified };
}
