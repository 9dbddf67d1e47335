import { recordRotations } from '#lib/access';
import { ForensicStore } from '#lib/audit';
import { takeUpLog } from '#lib/history';
import { endRestore, recordRestore } from '#lib/proof';

import { carryErasures, missingRequests } from './aside/carried-erasures.js';
import { carryRevocations } from './aside/carried-revocations.js';
import { deleteEvidenceAgain, type EvidencePlaces } from './aside/erased-evidence.js';
import { createApp } from './app.module.js';
import { EVENT_DEFINITIONS } from './event-definitions.js';
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
    await recordRestore(platform.events, platform.folder.path, () => carryOver(platform));
    await deleteEvidenceAgain(placesOf(platform), platform.proof.erasedEvidence());
    await recordRotations(platform.events, platform.ring);
    const app = await createApp(platform);
    endRestore(platform.folder.path);
    platform.mark.takeUp();
    return { app, platform };
  } catch (error) {
    try {
      await platform.running.stopAll();
    } finally {
      await platform.close();
    }
    throw error;
  }
}

/** What was revoked, and what was erased, after the copy was made that was restored. */
async function carryOver(platform: Platform): Promise<void> {
  const { events, codec, ciphers, subjectKeys: keys, log, proof } = platform;
  const { dataDir, evidence } = placesOf(platform);
  await carryRevocations(events, dataDir, codec, log);
  await carryErasures({ events, codec, dataDir, keys, ciphers, evidence, log });
  const missing = await missingRequests(events, proof.erasedRequests());
  if (missing.length === 0) return;
  const requests = missing.map(({ dsrId, userId }) => `${dsrId} of ${userId}`);
  log.error({ requests }, 'keys and evidence are gone again; file and approve these deletions again for the rest');
}

function placesOf({ events, artifacts, ring, folder, log }: Platform): EvidencePlaces {
  return { evidence: new ForensicStore(events, artifacts, ring), artifacts, dataDir: folder.path, log };
}
