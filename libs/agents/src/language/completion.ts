export interface Message {
  readonly role: 'system' | 'user';
  readonly content: string;
}

/** Which engine is asked, and for how much. */
export interface EngineLimits {
  /** `model` of an entry of MACE_LLM_PROVIDERS; where absent, all of them in their order. */
  readonly model?: string;
  readonly max_tokens?: number;
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
  /** HTTP status; absent where none came. */
  readonly status?: number;
}

/** Kinds that say that an engine is out of service; the others follow from what it was asked, or by whom. */
const OUT_OF_SERVICE: ReadonlySet<string> = new Set(['rate_limited', 'server_error', 'timeout', 'connection']);

/**
 * Whether a list of engines is out of service: each was asked, and the last one answers 5xx or 429, refuses, hangs or
 * cannot be reached (spec/decisions.md "An engine that fails").
 */
export function isOutOfService(failures: readonly Pick<ProviderFailure, 'kind'>[]): boolean {
  const last = failures.at(-1);
  return last !== undefined && OUT_OF_SERVICE.has(last.kind);
}

/** What came of asking the providers; those that failed first are named with an answer too. */
export interface EngineAnswer {
  readonly completion: (Completion & { readonly provider: string; readonly model: string }) | null;
  /** In the order in which they were asked. */
  readonly failures: readonly ProviderFailure[];
}
