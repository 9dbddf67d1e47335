import { developerMessage, NewerReleaseError } from '#lib/kernel';

/** A stored event is not what was signed: changed, moved, dropped or signed by a key that may not. */
export class IntegrityError extends Error {
  constructor(
    readonly stream: string,
    readonly revision: number,
    readonly reason: string,
  ) {
    super(developerMessage('INTEGRITY_FAILURE', 'stored', { stream, revision, reason }));
    this.name = 'IntegrityError';
  }
}

/**
 * An event is what a key of the ring signed, and of a type or version that this release does not know: a newer one wrote
 * it. It is not damage, and nothing may follow from passing over it; whoever runs that release reads it.
 */
export class NewerEventError extends NewerReleaseError {
  constructor(
    readonly stream: string,
    readonly revision: number,
    what: string,
  ) {
    super(`stream ${stream}, revision ${revision}: ${what}`);
    this.name = 'NewerEventError';
  }
}
