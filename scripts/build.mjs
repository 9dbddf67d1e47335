/** `npm run build`: brings dist/ up to date. */
import { makeReady, run } from './lib/ready.mjs';

await run(() => makeReady());
