/** What runs beside the requests, so that a start which fails half way, where nothing else knows them, can end it. */
export class RunningParts {
  private readonly stops: (() => Promise<void>)[] = [];

  /** @param stop may be called although the part was stopped already, or never began */
  add(stop: () => Promise<void>): void {
    this.stops.push(stop);
  }

  /** The last begun first; one that cannot be stopped keeps none of the others running. @throws the first failure */
  async stopAll(): Promise<void> {
    const failures: unknown[] = [];
    for (const stop of this.stops.splice(0).reverse()) await stop().catch((error: unknown) => failures.push(error));
    if (failures.length > 0) throw failures[0];
  }
}
