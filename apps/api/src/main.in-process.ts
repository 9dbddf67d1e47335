import type { InjectOptions, LightMyRequestResponse } from 'fastify';

import { asLocal } from './edge/local-requests.js';
import { openApp } from './main.open.js';
import type { Config } from './platform.config.js';

export interface InProcess {
  /** A request of this process itself: as the principal `local` unless it carries a token. */
  inject(options: InjectOptions): Promise<LightMyRequestResponse>;
  close(): Promise<void>;
}

/**
 * The whole application in the calling process, without a port. On stores that processes share it leaves projections,
 * reactors and the jobs of others to them.
 */
export async function openInProcess(config: Config): Promise<InProcess> {
  const isShared = config.eventStoreDb !== undefined && config.mongoDb !== undefined;
  const { app, platform } = await openApp(isShared ? { ...config, role: 'api' } : config);
  return {
    inject: (options) => asLocal(async () => app.fastify.inject(options)),
    close: async () => {
      await app.nest.close();
      await platform.close();
    },
  };
}
