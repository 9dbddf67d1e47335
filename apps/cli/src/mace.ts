import { endOnCrash } from '../../api/src/edge/crash.js';
import { obeyAsFirstProcess } from '../../api/src/edge/first-process.js';
import { run } from './run.js';

/** Runs the command line of this process, and answers its exit code. */
export function mace(): Promise<number> {
  endOnCrash();
  obeyAsFirstProcess();
  return run(process.argv.slice(2));
}
