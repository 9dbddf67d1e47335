/** `npm run packages`: what others install, `@mace/agent` and `@mace/client`, in dist/packages, as folders and archives. */
import { relative } from 'node:path';
import { pack } from './lib/packages.mjs';
import { makeReady, run } from './lib/ready.mjs';
import { root } from './lib/root.mjs';

await run(async () => {
  await makeReady({ dev: true });
  for (const archive of await pack()) console.log(relative(root, archive));
});
