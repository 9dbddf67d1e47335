import { faultShape, type Logger } from './log.js';

/** What the log says of a fault that is met again and again until it is over. */
export interface OutageWords {
  readonly fault: string;
  /** Said once it is over, with how many attempts had failed. */
  readonly over: string;
  /** Default `error`. */
  readonly level?: 'warn' | 'error';
}

/** Told of each failed attempt, and of null once it goes again; `facts` stand in the line, ids and numbers only. */
export type OutageLog = (thrown: unknown, facts?: object) => void;

/**
 * Tells of what is tried until it succeeds at its beginning and at its end, however often it is tried between: a line for
 * the first fault of each kind, and one when it is over. With the level `debug` each attempt has its line.
 */
export function outageLog(log: Logger, { fault, over, level = 'error' }: OutageWords): OutageLog {
  const told = new Set<string>();
  let attempts = 0;
  return (thrown, facts = {}) => {
    if (thrown === null) {
      if (attempts > 0) log.info({ ...facts, attempts }, over);
      told.clear();
      attempts = 0;
      return;
    }
    attempts++;
    const kind = kindOf(thrown);
    const isTold = told.has(kind);
    told.add(kind);
    // Reading the stack costs more than the attempt.
    if (!isTold) log[level]({ ...faultShape(thrown), ...facts }, fault);
    else if (log.isLevelEnabled('debug')) log.debug({ ...faultShape(thrown), ...facts }, fault);
  };
}

function kindOf(thrown: unknown): string {
  if (!(thrown instanceof Error)) return typeof thrown;
  const { code } = thrown as Error & { readonly code?: unknown };
  return typeof code === 'string' ? `${thrown.name} ${code}` : thrown.name;
}
