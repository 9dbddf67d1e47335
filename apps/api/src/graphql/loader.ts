import { canonicalize } from '#lib/kernel';

import type { Args } from './given.js';

/** Asks for each thing once in a request, however many fields want it. */
export class Loader {
  private readonly known = new Map<string, Promise<object>>();

  constructor(private readonly ask: (args: Args) => Promise<object>) {}

  load(args: Args): Promise<object> {
    const key = canonicalize(args);
    let answer = this.known.get(key);
    if (!answer) this.known.set(key, (answer = this.ask(args)));
    return answer;
  }
}
