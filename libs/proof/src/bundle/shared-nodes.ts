/** The hashes of many inclusion paths, each kept once. */
export class SharedNodes {
  readonly all: string[] = [];
  private readonly places = new Map<string, number>();

  /** The index of a hash, lower-case hex. */
  place(hash: string): number {
    const known = this.places.get(hash);
    if (known !== undefined) return known;
    this.places.set(hash, this.all.length);
    return this.all.push(hash) - 1;
  }
}
