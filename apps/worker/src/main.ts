import { endOnCrash } from '../../api/src/edge/crash.js';
import { work } from './work.js';

endOnCrash();
process.exitCode = await work(process.env);
