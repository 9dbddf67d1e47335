/** `npm run openapi`: writes libs/client/openapi.json as the application describes itself. A test fails where it is not that. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { writeAtomically } from './lib/atomic-file.mjs';
import { makeReady, run } from './lib/ready.mjs';
import { inRoot } from './lib/root.mjs';

await run(async () => {
  await makeReady();
  const { openApp } = await import('../dist/apps/api/src/main.open.js');
  const { readConfig } = await import('../dist/apps/api/src/platform.config.js');
  const folder = mkdtempSync(join(tmpdir(), 'mace-openapi-'));
  try {
    const { app, platform } = await openApp(readConfig({ MACE_DATA_DIR: folder, MACE_LOG_LEVEL: 'silent' }));
    const answer = await app.fastify.inject({ url: '/openapi.json' });
    await app.nest.close();
    await platform.close();
    writeAtomically(inRoot('libs', 'client', 'openapi.json'), `${JSON.stringify(answer.json(), null, 1)}\n`);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
