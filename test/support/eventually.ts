import { setTimeout as sleep } from 'node:timers/promises';

/** A bound for what hangs, and no measure: a machine that is slow and loaded reaches everything long before. */
const PATIENCE_MS = 90_000;
const PAUSE_MS = 10;

/**
 * What `look` finds, asked again until it finds something: for whatever comes about behind an answer, by a reactor, a
 * projection or a timer. The time is the machine's own, whatever clock a test sets.
 * @throws Error that names `what` where it did not come about
 */
export async function eventually<T>(
  look: () => T | null | undefined | Promise<T | null | undefined>,
  what = 'it',
): Promise<T> {
  const deadline = performance.now() + PATIENCE_MS;
  for (;;) {
    const found = await look();
    if (found !== null && found !== undefined) return found;
    if (performance.now() > deadline) throw new Error(`${what} did not come about in ${PATIENCE_MS} ms`);
    await sleep(PAUSE_MS);
  }
}

/** The same for what is true or not. */
export async function until(holds: () => boolean | Promise<boolean>, what?: string): Promise<void> {
  await eventually(async () => ((await holds()) ? true : null), what);
}
