import { cp, mkdtemp, rename, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { fixtureKeys } from '#lib/access';

import { openApp } from '../../apps/api/src/main.open.js';
import { readConfig } from '../../apps/api/src/platform.config.js';
import { writeKeyFile } from '../../libs/access/src/key-file.js';
import { EventStoreForTests, ON_SERVER } from './event-store-for-tests.js';

/** Names what the tests of one run share; set by test/runner/global-setup.mjs. */
const SHARED_VARIABLE = 'MACE_TEST_SHARED';

/**
 * A new data folder with the keys that everybody knows, as a first start leaves it: memory holds the facts of the world.
 * The first of a run makes that start, the others copy its folder, but for those that a server is named for, which holds no
 * copy. Whoever asks for it removes it.
 */
export async function newDataFolder(name: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), `mace-${name}-`));
  const shared = ON_SERVER && process.env['EVENTSTORE_URL'] ? undefined : process.env[SHARED_VARIABLE];
  if (shared === undefined) writeKeyFile(join(folder, 'keys', 'ring.json'), fixtureKeys());
  else await cp(await startedFolder(shared), folder, { recursive: true });
  return folder;
}

async function startedFolder(shared: string): Promise<string> {
  const started = join(shared, ON_SERVER ? 'started-on-server' : 'started');
  if (await isThere(started)) return started;
  const folder = await mkdtemp(join(shared, 'starting-'));
  writeKeyFile(join(folder, 'keys', 'ring.json'), fixtureKeys());
  const server = await EventStoreForTests.start(folder);
  const settings = { MACE_DATA_DIR: folder, MACE_LOG_LEVEL: 'silent', ...server.settings };
  const { app, platform } = await openApp(readConfig(settings));
  await app.nest.close();
  await platform.close();
  await server.close();
  try {
    await rename(folder, started);
  } catch (error) {
    // Another worker was faster.
    if (!(await isThere(started))) throw error;
    await rm(folder, { recursive: true });
  }
  return started;
}

function isThere(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}
