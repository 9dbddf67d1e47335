import { constants } from 'node:os';

/**
 * The first process of a container has no default action for signals: whoever listens to none cannot be stopped, which is
 * every command and every start that waits for a store. This ends such a process at the order, with the exit code that a
 * shell would tell; one that listens for itself (`mace serve` once it serves) stops as it means to. A second order ends it
 * at once, as it does elsewhere.
 */
export function obeyAsFirstProcess(): void {
  if (process.pid !== 1) return;
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.on(signal, () => {
      if (process.listenerCount(signal) === 1) process.exit(128 + constants.signals[signal]);
    });
  }
}
