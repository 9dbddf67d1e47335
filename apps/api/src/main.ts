import { endOnCrash } from './edge/crash.js';
import { obeyAsFirstProcess } from './edge/first-process.js';
import { serve } from './main.serve.js';

endOnCrash();
obeyAsFirstProcess();
process.exitCode = await serve(process.env);
