export interface Message {
  readonly role: 'system' | 'user';
  readonly content: string;
}

export interface Completion {
  readonly text: string;
  /** False where the engine stopped for another reason than that it had finished. */
  readonly finished: boolean;
}

/** `auth`: the key is missing, or was refused (401, 403). */
export type ProviderFailureKind =
  | 'auth'
  | 'rate_limited'
  | 'server_error'
  | 'rejected'
  | 'timeout'
  | 'connection'
  | 'malformed'
  | 'wrong_shape'
  | 'too_large'
  | 'aborted';

/** A language engine that gave no answer; no message of its own goes further, since it may quote a key or a question. */
export interface ProviderFailure {
  /** Host and port. */
  readonly provider: string;
  readonly kind: ProviderFailureKind;
}

/** What came of asking the providers; those that failed first are named with an answer too. */
export interface EngineAnswer {
  readonly completion: (Completion & { readonly provider: string; readonly model: string }) | null;
  /** In the order in which they were asked. */
  readonly failures: readonly ProviderFailure[];
}
