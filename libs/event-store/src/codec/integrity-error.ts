/** A stored event is not what was signed: changed, moved, dropped or signed by a key that may not. */
export class IntegrityError extends Error {
  constructor(
    readonly stream: string,
    readonly revision: number,
    readonly reason: string,
  ) {
    super(`stream ${stream}, revision ${revision}: ${reason}`);
    this.name = 'IntegrityError';
  }
}
