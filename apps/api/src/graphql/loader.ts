import { setImmediate as nextTurn } from 'node:timers/promises';

import { canonicalize } from '#lib/kernel';

import type { Args } from './given.js';

/** So many are asked for side by side, so that stores are asked once for all of them; the others wait. */
const BATCH = 20;

/** Asks for each thing once in a request, however many fields want it. Between batches others have their turn. */
export class Loader {
  private readonly known = new Map<string, Promise<object>>();
  private batch: Promise<object>[] = [];
  /** When those of the batch may begin; undefined for the first, which begins at once. */
  private turn: Promise<void> | undefined;

  constructor(private readonly ask: (args: Args) => Promise<object>) {}

  load(args: Args): Promise<object> {
    const key = canonicalize(args);
    let answer = this.known.get(key);
    if (!answer) this.known.set(key, (answer = this.inBatch(args)));
    return answer;
  }

  private inBatch(args: Args): Promise<object> {
    if (this.batch.length === BATCH) {
      this.turn = Promise.allSettled(this.batch).then(() => nextTurn());
      this.batch = [];
    }
    const answer = this.turn ? this.turn.then(() => this.ask(args)) : this.ask(args);
    this.batch.push(answer);
    return answer;
  }
}
