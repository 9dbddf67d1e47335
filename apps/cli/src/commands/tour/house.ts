import { rmSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { signToken, type Role } from '#lib/access';
import type { JsonObject } from '#lib/kernel';

import { asLocal } from '../../../../api/src/edge/local-requests.js';
import { openApp, type OpenApp } from '../../../../api/src/main.open.js';
import { readConfig } from '../../../../api/src/platform.config.js';
import type { Answer, Call } from '../../client.js';
import type { EventLine } from './guide.js';

/** Who lives in a house of the tour; `you` is whoever holds the data folder. */
const PEOPLE = {
  tuff: ['user'],
  anna: ['council'],
  ben: ['council'],
  cara: ['council'],
  dan: ['council'],
  ada: ['admin'],
  olga: ['operator'],
  otto: ['auditor'],
} as const satisfies Record<string, readonly Role[]>;
export type Person = keyof typeof PEOPLE | 'you';

const TOKEN_TTL_S = 600;

/** The whole application in this process, on a data folder of its own that is gone when it is closed. */
export class House {
  private readonly tokens = new Map<Person, string>();

  private constructor(
    private readonly opened: OpenApp,
    private readonly leave: () => void,
  ) {}

  /** @param furnish puts parts in place of those that are installed, before the first request */
  static async open(furnish: (app: OpenApp['app']['nest']) => void = () => undefined): Promise<House> {
    const folder = await mkdtemp(join(tmpdir(), 'mace-tour-'));
    const sweep = (): void => rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
    // An interrupt ends the process before anything is awaited again.
    process.once('exit', sweep);
    const leave = (): void => {
      sweep();
      process.off('exit', sweep);
    };
    try {
      // Nothing of the visitor's own settings: neither keys nor language engines are the tour's to use.
      const level = process.env['MACE_LOG_LEVEL'] ?? 'error';
      const opened = await openApp(readConfig({ MACE_DATA_DIR: folder, MACE_LOG_LEVEL: level }));
      furnish(opened.app.nest);
      return new House(opened, leave);
    } catch (error) {
      leave();
      throw error;
    }
  }

  /** Any answer, errors too. */
  async send<T = JsonObject>(by: Person, { method, path, body, headers }: Call): Promise<Answer & { body: T }> {
    const credentials: Record<string, string> = by === 'you' ? {} : { authorization: `Bearer ${await this.token(by)}` };
    const { statusCode, payload } = await asLocal(async () =>
      this.opened.app.fastify.inject({
        method,
        url: path,
        headers: { ...credentials, ...headers },
        ...(body ? { payload: body } : {}),
      }),
    );
    return { status: statusCode, body: JSON.parse(payload) as JsonObject & T };
  }

  /** Every event of a stream, verified; personal fields as they are stored. */
  async stream(name: string): Promise<readonly EventLine[]> {
    const { events } = await this.opened.platform.events.load(name);
    return events.map(({ stream, revision, type, metadata, data }) => {
      return { stream, revision, type, event_id: metadata.event_id, data };
    });
  }

  async close(): Promise<void> {
    try {
      await this.opened.app.nest.close();
      await this.opened.platform.close();
    } finally {
      this.leave();
    }
  }

  /** Signed with the house's own key, as `mace token` does it; who decides on others' affairs has shown a second factor. */
  private async token(person: Exclude<Person, 'you'>): Promise<string> {
    const { ring, config } = this.opened.platform;
    const token =
      this.tokens.get(person) ??
      (await signToken(ring, {
        userId: person,
        roles: PEOPLE[person],
        issuer: config.jwtIssuer,
        audience: config.jwtAudience,
        ttlSeconds: TOKEN_TTL_S,
        now: Date.now(),
        amr: ['otp'],
      }));
    this.tokens.set(person, token);
    return token;
  }
}
