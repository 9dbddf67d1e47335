import type { ErrorCode } from '#lib/kernel';

import { isInProcess } from './local-requests.js';
import { faultShape, type Logger } from './log.js';

/** Tells the log of what must not go into an answer. */
export type FaultLog = (thrown: unknown, traceId: string, code: ErrorCode) => void;

/** How long one line stands for all of its kind, ms. */
const WINDOW_MS = 60_000;

/**
 * Tells of failed requests so that a store that is away for an hour leaves some lines and not one for each request: the
 * first of a kind whole, the others by their number once a minute. With the level `debug` each has its line. A bug has one
 * always, because its answer names the trace under which it is found. A command that has no server reads the answer in the
 * same terminal: of anything but a bug it says all.
 */
export function faultLog(log: Logger): FaultLog {
  const kinds = new Map<string, { more: number }>();
  return (thrown, trace, code) => {
    const shape = (): object => ({ ...faultShape(thrown), code, trace });
    if (code === 'AGENT_ERROR') return log.error(shape(), 'a request failed');
    const error = thrown instanceof Error ? thrown.name : typeof thrown;
    const kind = `${error} ${code}`;
    const known = kinds.get(kind);
    if (known) known.more++;
    if (known || isInProcess()) {
      // Reading the stack costs more than the rest of a refusal.
      if (log.isLevelEnabled('debug')) log.debug(shape(), 'a request failed');
      return;
    }
    log.error(shape(), 'a request failed');
    const one = { more: 0 };
    kinds.set(kind, one);
    setTimeout(() => {
      kinds.delete(kind);
      if (one.more > 0)
        log.error({ error, code, requests: one.more }, 'more requests failed in the same way within a minute');
    }, WINDOW_MS).unref();
  };
}
