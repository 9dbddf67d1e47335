import type { AddressInfo } from 'node:net';

import { openApp } from '../../../apps/api/src/main.open.js';
import { readConfig } from '../../../apps/api/src/platform.config.js';

export interface CachedReady {
  readonly kind: 'ready';
  readonly port: number;
}

/**
 * `cached-server.js FOLDER`: MACE on a port that the system chooses. With MACE_CACHE=redis it has nothing of what it reads
 * in memory, as a process has beside which others write, so each read goes to Redis.
 */
const [folder = ''] = process.argv.slice(2);
const config = readConfig({ ...process.env, MACE_DATA_DIR: folder, MACE_LOG_LEVEL: 'silent' });
const { app, platform } = await openApp(config);
if (config.redis) platform.events['states'].get = () => undefined;
await app.fastify.listen({ host: '127.0.0.1', port: 0 });
const { port } = app.fastify.server.address() as AddressInfo;
process.send!({ kind: 'ready', port } satisfies CachedReady);
process.once('SIGTERM', () => {
  void app.nest
    .close()
    .then(() => platform.close())
    .then(() => process.exit());
});
