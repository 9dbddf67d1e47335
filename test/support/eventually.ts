import { setTimeout as sleep } from 'node:timers/promises';

/** A bound for what hangs, and no measure: a machine that is slow and loaded reaches everything long before. */
const PATIENCE_MS = 90_000;
const PAUSE_MS = 10;
/** Of what was waited so far the next pause takes this part: looking takes its time from what is waited for. */
const PAUSE_GROWTH = 1 / 50;

/**
 * What `look` finds, asked again until it finds something: for whatever comes about behind an answer, by a reactor, a
 * projection or a timer. The time is the machine's own, whatever clock a test sets.
 * @throws Error that names `what` where it did not come about
 */
export async function eventually<T>(
  look: () => T | null | undefined | Promise<T | null | undefined>,
  what = 'it',
): Promise<T> {
  const begun = performance.now();
  for (;;) {
    const found = await look();
    if (found !== null && found !== undefined) return found;
    const waited = performance.now() - begun;
    if (waited > PATIENCE_MS) throw new Error(`${what} did not come about in ${PATIENCE_MS} ms`);
    await sleep(Math.max(PAUSE_MS, waited * PAUSE_GROWTH));
  }
}

/** The same for what is true or not. */
export async function until(holds: () => boolean | Promise<boolean>, what?: string): Promise<void> {
  await eventually(async () => ((await holds()) ? true : null), what);
}
