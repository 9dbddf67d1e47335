/** `npm run bench [-- NAME]`: installs and builds what is missing, then measures. */
import { startBuilt } from './lib/start-built.mjs';

await startBuilt('test/bench/main.js', { dev: true });
