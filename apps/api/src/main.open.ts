import { recordRotations } from '#lib/access';
import { takeUpLog } from '#lib/history';
import { recordRestore } from '#lib/proof';

import { carryRevocations } from './aside/carried-revocations.js';
import { createApp, EVENT_DEFINITIONS } from './app.module.js';
import { CONFIGURATION, systemVersion } from './configuration-files.js';
import type { App } from './edge/app.js';
import { createLogger } from './edge/log.js';
import type { Config } from './platform.config.js';
import { openPlatform, type Platform, type Wiring } from './platform.js';

export interface OpenApp {
  readonly app: App;
  readonly platform: Platform;
}

/** The data folder and the application on it, not listening yet; all closed again where a part refuses. */
export async function openApp(config: Config, wiring: Wiring = {}): Promise<OpenApp> {
  CONFIGURATION.check();
  const platform = await openPlatform(config, EVENT_DEFINITIONS, createLogger(config), wiring);
  try {
    await takeUpLog(platform.events, systemVersion(), platform.registry.all());
    await platform.proof.begin();
    const { events, codec, folder, log } = platform;
    await recordRestore(events, folder.path, () => carryRevocations(events, folder.path, codec, log));
    await recordRotations(platform.events, platform.ring);
    return { app: await createApp(platform), platform };
  } catch (error) {
    try {
      await platform.running.stopAll();
    } finally {
      await platform.close();
    }
    throw error;
  }
}
