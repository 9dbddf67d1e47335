import type { ErrorCode } from '#lib/kernel';

/** Exit codes of spec/api.md, "Command line". */
export const EXIT = {
  ok: 0,
  failure: 1,
  divergence: 2,
  usage: 64,
  unavailable: 69,
  denied: 77,
  interrupted: 130,
} as const;
export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

const BY_CODE: Partial<Record<ErrorCode, ExitCode>> = {
  INVALID_INPUT: EXIT.usage,
  UNAUTHENTICATED: EXIT.denied,
  PERMISSION_DENIED: EXIT.denied,
  PRIVACY_BLOCKED: EXIT.denied,
  DATA_UNAVAILABLE: EXIT.unavailable,
  ROUTER_NO_SNAPSHOT: EXIT.unavailable,
  LLM_SERVICE_DOWN: EXIT.unavailable,
  STORAGE_FULL: EXIT.unavailable,
  RATE_LIMITED: EXIT.unavailable,
  RESULT_MISMATCH: EXIT.divergence,
  REPLAY_DIVERGENCE: EXIT.divergence,
};

export function exitCodeOf(code: ErrorCode): ExitCode {
  return BY_CODE[code] ?? EXIT.failure;
}

/** Ends a command with one line for the person who gave it. */
export class CommandError extends Error {
  constructor(
    message: string,
    readonly exitCode: ExitCode,
    options?: ErrorOptions,
  ) {
    super(message, options);
    this.name = 'CommandError';
  }
}
