import { MaceError } from '#lib/kernel';

/** 429: the answer's Retry-After says when to come again. */
export class RateLimitedError extends MaceError {
  /** Whole seconds, at least 1. */
  readonly retryAfterSeconds: number;

  constructor(developerMessage: string, retryAfterMs: number) {
    const seconds = Math.max(1, Math.ceil(retryAfterMs / 1000));
    super('RATE_LIMITED', `${developerMessage}; again in ${seconds} s`);
    this.name = 'RateLimitedError';
    this.retryAfterSeconds = seconds;
  }
}
