import { setImmediate } from 'node:timers';

/** How long reads may hold one turn of the event loop, ms: whoever else waits for the loop waits about so long. */
const SLICE_MS = 10;

/** Of the process, whatever clock a test puts in the place of the global one: who waits here must not wait for that. */
const clock = performance.now.bind(performance);
let began: number | undefined;
const waiting: (() => void)[] = [];

/**
 * Whether reads have used up their slice of the present turn of the event loop. All of a process share one slice: two
 * hundred short reads hold the loop as long as one long read does.
 */
export function sliceIsOver(): boolean {
  const now = clock();
  if (began === undefined) {
    began = now;
    setImmediate(renew);
  }
  return now - began >= SLICE_MS;
}

/** Settles in a later turn of the event loop, with a slice to go on in; those who wait go on in their order. */
export function nextSlice(): Promise<void> {
  return new Promise((resolve) => {
    waiting.push(resolve);
    // Sees to it that a turn comes in which somebody is let go on.
    sliceIsOver();
  });
}

function renew(): void {
  began = undefined;
  if (waiting.length > 0) void goOn();
}

async function goOn(): Promise<void> {
  do {
    waiting.shift()!();
    await settled();
  } while (!sliceIsOver() && waiting.length > 0);
}

/** When every promise that can go on has gone on: a tick that is asked for by one of them comes after all of them. */
export function settled(): Promise<void> {
  return Promise.resolve().then(() => new Promise((resolve) => process.nextTick(resolve)));
}
