/**
 * What may fail by itself: adding leaves, signing and keeping checkpoints, keeping the last one beside the keys; that the
 * events are still those of the leaves, as far as somebody has looked; and that the rows which are followed are events.
 */
export type Part = 'leaves' | 'checkpoint' | 'anchor' | 'tree' | 'rows';

/** What of a log fails now. */
export class LogFaults {
  private readonly faults = new Map<Part, Error>();

  /** @param onFault told of each fault when something begins to fail for it, and null when everything works again */
  constructor(private readonly onFault?: (fault: Error | null) => void) {}

  /** Why the log does not grow, or is not signed; null while it does. */
  get problem(): string | null {
    const [fault] = this.faults.values();
    return fault?.message ?? null;
  }

  of(part: Part): Error | undefined {
    return this.faults.get(part);
  }

  tell(part: Part, fault: Error | null): void {
    if (this.faults.get(part)?.message === fault?.message) return;
    const isTold = [...this.faults.values()].some(({ message }) => message === fault?.message);
    if (fault) this.faults.set(part, fault);
    else this.faults.delete(part);
    if (fault ? !isTold : this.faults.size === 0) this.onFault?.(fault);
  }
}
