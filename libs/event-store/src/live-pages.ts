import {
  comparePositions,
  type Page,
  type Position,
  type ReadAllOptions,
  START,
  type SubscribeOptions,
  type SubscriptionItem,
} from './port.js';

const DEFAULT_PAGE_SIZE = 1000;

/** The newest position a store in this process has acknowledged; wakes those who wait for more, without a timer. */
export class HeadSignal {
  private head: Position = START;
  private closed = false;
  private readonly waiting = new Set<() => void>();

  get isClosed(): boolean {
    return this.closed;
  }

  /** A position at or before the known one changes nothing. */
  moveTo(position: Position): void {
    if (comparePositions(position, this.head) <= 0) return;
    this.head = position;
    this.wakeAll();
  }

  /** Wakes everybody for good. */
  close(): void {
    this.closed = true;
    this.wakeAll();
  }

  /** Settles once the head lies beyond `position`, the signal aborts or the store closes. */
  async beyond(position: Position, signal?: AbortSignal): Promise<void> {
    if (this.closed || signal?.aborted || comparePositions(this.head, position) > 0) return;
    await new Promise<void>((resolve) => {
      const wake = (): void => {
        this.waiting.delete(wake);
        signal?.removeEventListener('abort', wake);
        resolve();
      };
      this.waiting.add(wake);
      signal?.addEventListener('abort', wake);
    });
  }

  private wakeAll(): void {
    for (const wake of [...this.waiting]) wake();
  }
}

/**
 * A subscription of a store that lives in this process: pages from `after` on, `caughtUp` once, then whatever is
 * appended. The consumer pulls, so a slow one holds nothing but its place. Ends when the signal aborts or the store
 * closes.
 */
export async function* livePages(
  read: (options: ReadAllOptions) => Promise<Page>,
  head: HeadSignal,
  { after, types, pageSize = DEFAULT_PAGE_SIZE, signal }: SubscribeOptions,
): AsyncGenerator<SubscriptionItem, void, undefined> {
  let position = after;
  let caughtUp = false;
  const isOver = (): boolean => head.isClosed || signal?.aborted === true;
  while (!isOver()) {
    const page = await read({ after: position, limit: pageSize, ...(types && { types }) });
    if (isOver()) return;
    if (page.scannedTo !== position) {
      position = page.scannedTo;
      yield { kind: 'page', page };
    }
    if (!page.atHead) continue;
    if (!caughtUp && !isOver()) {
      caughtUp = true;
      yield { kind: 'caughtUp', position };
    }
    await head.beyond(position, signal);
  }
}
