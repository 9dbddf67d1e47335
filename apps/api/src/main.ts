import { serve } from './main.serve.js';

process.exitCode = await serve(process.env);
