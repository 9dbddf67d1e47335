/** Says once in a turn of the event loop that something is to be done, however often it is asked. */
export class OnceATurn {
  private isDone = false;

  isDue(): boolean {
    if (this.isDone) return false;
    this.isDone = true;
    setImmediate(this.again);
    return true;
  }

  /** Due again, whatever was done in this turn. */
  readonly again = (): void => {
    this.isDone = false;
  };
}
