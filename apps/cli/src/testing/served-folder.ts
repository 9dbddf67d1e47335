import { rm } from 'node:fs/promises';

import { type Role, signToken } from '#lib/access';
import { type Policies, Snapshots } from '#lib/governance';
import { followPrivacyPolicy, PRIVACY_DEFAULTS } from '#lib/privacy';

import { newDataFolder } from '../../../../test/support/data-folder.js';
import { EventStoreForTests } from '../../../../test/support/event-store-for-tests.js';
import { type Declared, everyJobReplays } from '../../../../test/support/replay-check.js';
import { listenLocally, type LocalSocket } from '../../../api/src/edge/local-socket.js';
import { ADOPTED_POLICIES } from '../../../api/src/governance/adopted-policies.js';
import { openApp, type OpenApp } from '../../../api/src/main.open.js';
import { readConfig } from '../../../api/src/platform.config.js';

/**
 * A data folder with a server on it in this process: commands reach it through the folder's socket, and none of them
 * opens the folder for itself. That they can is tested in cli.slow.spec.ts.
 */
export class ServedFolder {
  private constructor(
    readonly path: string,
    private readonly open: OpenApp,
    private readonly socket: LocalSocket,
    private readonly server: EventStoreForTests,
  ) {}

  /** @param name stands in the folder's name */
  static async open(name: string): Promise<ServedFolder> {
    const path = await newDataFolder(name);
    const server = await EventStoreForTests.start(path);
    const open = await openApp(readConfig({ MACE_DATA_DIR: path, MACE_LOG_LEVEL: 'silent', ...server.settings }));
    return new ServedFolder(path, open, await listenLocally(open.app.fastify, path), server);
  }

  get fastify(): OpenApp['app']['fastify'] {
    return this.open.app.fastify;
  }

  /** The log as the server's own, for what no command can write. */
  get events(): OpenApp['platform']['events'] {
    return this.open.platform.events;
  }

  get policies(): Policies {
    return this.open.app.nest.get<Policies>(ADOPTED_POLICIES);
  }

  /** Where the log ends. */
  head(): Promise<string> {
    return this.open.platform.eventStore.head();
  }

  get ring(): OpenApp['platform']['ring'] {
    return this.open.platform.ring;
  }

  /** A token as its server takes them. */
  token(userId: string, roles: readonly Role[], isElevated: boolean): Promise<string> {
    const order = { userId, roles, issuer: 'mace', audience: 'mace', ttlSeconds: 3600, now: Date.now() };
    return signToken(this.open.platform.ring, { ...order, ...(isElevated ? { amr: ['otp'] } : {}) });
  }

  /**
   * Replays every job that was made here in audit mode, closes, and removes the folder.
   * @throws Error where a job is no MATCH and not declared, or is declared and a MATCH
   */
  async close(declared: Declared = {}): Promise<void> {
    const { app, platform } = this.open;
    const { events, eventStore, proof, ring } = platform;
    try {
      await everyJobReplays({ events, eventStore, proof, ring, snapshots: app.nest.get(Snapshots) }, declared);
    } finally {
      await Promise.all([app.nest.close(), this.socket.close()]);
      await platform.close();
      await this.server.close();
      await rm(this.path, { recursive: true, force: true });
      followPrivacyPolicy(PRIVACY_DEFAULTS);
    }
  }
}
