import { endOnCrash } from '../../api/src/edge/crash.js';
import { obeyAsFirstProcess } from '../../api/src/edge/first-process.js';
import { run } from './run.js';

endOnCrash();
obeyAsFirstProcess();
process.exitCode = await run(process.argv.slice(2));
