import { EXIT, type ExitCode } from '../../exit-codes.js';
import { toldOf, type Walk } from '../last-walk.js';

export type State = 'ok' | 'warn' | 'fail';

/** What a look at one part came to. */
export interface Finding {
  /** The part, of a closed list per release: `node`, `MACE_PORT`, `config/router.json`, `events.db`, ... */
  readonly check: string;
  readonly state: State;
  /** What was found. */
  readonly found: string;
  /** What to do about it; null where nothing is to be done. */
  readonly todo: string | null;
  /** What the command exits with for it. */
  readonly exit: ExitCode;
}

export function ok(check: string, found: string): Finding {
  return { check, state: 'ok', found, todo: null, exit: EXIT.ok };
}

/** Served all the same. */
export function warn(check: string, found: string, todo: string): Finding {
  return { check, state: 'warn', found, todo, exit: EXIT.ok };
}

/** A start is refused for it, or requests are. @param exit what a start exits with for it */
export function fail(check: string, found: string, todo: string, exit: ExitCode = EXIT.failure): Finding {
  return { check, state: 'fail', found, todo, exit };
}

/** What the last walk of the whole log found; it decides about no start. */
export function ofWalk(walk: Walk | null): Finding {
  const todo = '`mace integrity list` names what was found; docs/integrity.md, "What happens with what is found"';
  return walk?.sound === false ? fail('integrity', toldOf(walk), todo, EXIT.divergence) : ok('integrity', toldOf(walk));
}

/** What `look` finds, or that it failed: no look that fails keeps the others from being made. */
export async function looked(check: string, look: () => Finding[] | Promise<Finding[]>): Promise<Finding[]> {
  try {
    return await look();
  } catch (error) {
    const { message } = error as Error;
    return [fail(check, message, 'mend that, or say what you see to whoever looks after MACE')];
  }
}
