import { endOnCrash } from '../../api/src/edge/crash.js';
import { run } from './run.js';

endOnCrash();
process.exitCode = await run(process.argv.slice(2));
