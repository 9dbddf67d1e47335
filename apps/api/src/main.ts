import { endOnCrash } from './edge/crash.js';
import { serve } from './main.serve.js';

endOnCrash();
process.exitCode = await serve(process.env);
