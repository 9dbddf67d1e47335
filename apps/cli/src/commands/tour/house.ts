import { rmSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { signToken, type Role } from '#lib/access';
import type { JsonObject } from '#lib/kernel';

import { asLocal } from '../../../../api/src/edge/local-requests.js';
import { openApp, type OpenApp } from '../../../../api/src/main.open.js';
import { serveNegotiation } from '../../../../api/src/negotiation/serve-negotiation.js';
import { readConfig } from '../../../../api/src/platform.config.js';
import type { GrpcServer } from '../../../../negotiation/src/grpc-server.js';
import type { Called } from '../../../../negotiation/src/room-caller.js';
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
  iris: ['agent'],
  jonas: ['agent'],
  kim: ['agent'],
} as const satisfies Record<string, readonly Role[]>;
export type Person = keyof typeof PEOPLE | 'you';

const TOKEN_TTL_S = 600;
const HERE = '127.0.0.1';
/** How long a call in hand may take when the house is closed. */
const CLOSING_MS = 1000;

/** The whole application in this process, on a data folder of its own that is gone when it is closed. */
export class House {
  private readonly tokens = new Map<Person, string>();
  private grpc: GrpcServer | undefined;

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
      // Agents fail on purpose, and the tour tells it by their events: lines of a log would read as faults of its own.
      const level = process.env['MACE_LOG_LEVEL'] ?? 'silent';
      const settings = { MACE_DATA_DIR: folder, MACE_LOG_LEVEL: level, MACE_GRPC_PORT: '0' };
      const opened = await openApp(readConfig({ ...settings, MACE_AGENT_HOSTS: 'localhost' }));
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

  /** The Negotiation Room by gRPC, on a free port of this machine alone, for somebody with their token. */
  async room(person: Exclude<Person, 'you'>): Promise<Called> {
    this.grpc ??= await serveNegotiation(this.opened, HERE);
    if (!this.grpc) throw new Error('the Negotiation Room has no port');
    return { address: `${HERE}:${this.grpc.port}`, token: await this.token(person) };
  }

  async close(): Promise<void> {
    try {
      await this.grpc?.close(CLOSING_MS);
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
