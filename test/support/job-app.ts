import { rm } from 'node:fs/promises';

import type { LightMyRequestResponse } from 'fastify';

import { signToken, type Role } from '#lib/access';
import type { LoggedEvent } from '#lib/event-store';
import { Snapshots } from '#lib/governance';
import type { ErrorEnvelope } from '#lib/kernel';
import type { EventView, JobResult, LogView } from '#lib/jobs';
import { followPrivacyPolicy, PRIVACY_DEFAULTS } from '#lib/privacy';

import { openApp, type OpenApp } from '../../apps/api/src/main.open.js';
import { type Config, readConfig } from '../../apps/api/src/platform.config.js';
import type { Wiring } from '../../apps/api/src/platform.js';
import { newDataFolder } from './data-folder.js';
import { holdToDescription } from './described-answers.js';
import { EventStoreForTests } from './event-store-for-tests.js';
import { type Declared, everyJobReplays } from './replay-check.js';

export interface Answer<T> {
  readonly status: number;
  readonly headers: LightMyRequestResponse['headers'];
  readonly body: T;
}

type Settings = Readonly<Record<string, string>>;
/** Whether what it answers is held to the description of the interface. */
type Held = 'as described' | 'as they come';

/** Well under the five minutes of a second factor (spec/privacy.md, "Tokens"). */
const RENEWED_AFTER_MS = 60_000;

/** What an answer may hold; a test names the part it looks at. */
export type AnyBody = JobResult & Omit<ErrorEnvelope, 'status'> & LogView & { readonly items: readonly EventView[] };

export interface Caller {
  get<T = AnyBody>(path: string, headers?: Record<string, string>): Promise<Answer<T>>;
  send<T = AnyBody>(
    method: 'POST' | 'PUT' | 'PATCH',
    path: string,
    body: unknown,
    headers?: Record<string, string>,
  ): Promise<Answer<T>>;
  ask(query_text: string, more?: Readonly<Record<string, unknown>>): Promise<Answer<AnyBody>>;
}

/**
 * The whole application in this process, on real files, with the keys that everybody knows: hashes and signatures can
 * stand in a test. It can be closed and opened again on the same folder.
 */
export class JobApp {
  private constructor(
    readonly folder: string,
    private opened: OpenApp,
    private readonly wiring: Wiring,
    private readonly settings: Settings,
    private server: EventStoreForTests,
    private readonly held: Held,
  ) {}

  /**
   * @param wiring what stands between it and its stores, also when it is opened again
   * @param settings what the environment says beside the data folder
   * @param held `as they come` where a test signs events in forms that no release writes: answers show them
   */
  static async open(wiring: Wiring = {}, settings: Settings = {}, held: Held = 'as described'): Promise<JobApp> {
    return JobApp.opened(await newDataFolder('job'), wiring, settings, held);
  }

  /** On a folder that is there already, and is this test's own: it is removed at the end. */
  static on(folder: string, wiring: Wiring = {}, settings: Settings = {}): Promise<JobApp> {
    return JobApp.opened(folder, wiring, settings, 'as described');
  }

  private static async opened(folder: string, wiring: Wiring, settings: Settings, held: Held): Promise<JobApp> {
    const server = await EventStoreForTests.start(folder);
    const opened = await openHeld(configOf(folder, server, settings), wiring, held);
    return new JobApp(folder, opened, wiring, settings, server, held);
  }

  get parts(): OpenApp {
    return this.opened;
  }

  async close(): Promise<void> {
    await this.opened.app.nest.close();
    await this.opened.platform.close();
  }

  /** Closed, changed by somebody who holds the folder, and opened again. */
  async whileClosed(change: () => void | Promise<void>, settings = this.settings): Promise<void> {
    await this.close();
    await this.server.close();
    await change();
    this.server = await EventStoreForTests.start(this.folder);
    this.opened = await openHeld(configOf(this.folder, this.server, settings), this.wiring, this.held);
  }

  /**
   * Replays every job that was made here in audit mode, closes, and removes the folder.
   * @throws Error where a job is no MATCH and not declared, or is declared and a MATCH
   */
  async dispose(declared: Declared = {}): Promise<void> {
    try {
      const { events, eventStore, proof, ring } = this.opened.platform;
      const snapshots = this.opened.app.nest.get(Snapshots);
      await everyJobReplays({ events, eventStore, proof, ring, snapshots }, declared);
    } finally {
      await this.close().finally(() => this.server.close());
      await rm(this.folder, { recursive: true, force: true });
      followPrivacyPolicy(PRIVACY_DEFAULTS);
    }
  }

  /** A token of one hour, for requests that go another way than through `caller`. */
  token(userId: string, roles: readonly Role[] = ['user']): Promise<string> {
    const order = { userId, roles, issuer: 'mace', audience: 'mace', ttlSeconds: 3600, now: Date.now() };
    return signToken(this.opened.platform.ring, order);
  }

  /** Somebody with a token; a second factor is always fresh, however slow the machine is. */
  async caller(userId: string, roles: readonly Role[] = ['user'], amr?: readonly string[]): Promise<Caller> {
    const sign = (now: number): Promise<string> => {
      const order = { userId, roles, issuer: 'mace', audience: 'mace', ttlSeconds: 3600, now };
      return signToken(this.opened.platform.ring, { ...order, ...(amr ? { amr } : {}) });
    };
    let signedAt = Date.now();
    let token = await sign(signedAt);
    const current = async (): Promise<string> => {
      const now = Date.now();
      if (Math.abs(now - signedAt) < RENEWED_AFTER_MS) return token;
      signedAt = now;
      return (token = await sign(now));
    };
    const call = async <T>(method: string, path: string, body: unknown, headers: Record<string, string> = {}) => {
      const {
        statusCode,
        headers: answered,
        payload,
      } = await this.opened.app.fastify.inject({
        method: method as 'GET',
        url: path,
        headers: {
          authorization: `Bearer ${await current()}`,
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
          ...headers,
        },
        ...(body === undefined ? {} : { payload: typeof body === 'string' ? body : JSON.stringify(body) }),
      });
      return { status: statusCode, headers: answered, body: JSON.parse(payload) as T };
    };
    return {
      get: (path, headers) => call('GET', path, undefined, headers),
      send: (method, path, body, headers) => call(method, path, body, headers),
      ask: (query_text, more = {}) => call('POST', '/jobs', { query_text, ...more }),
    };
  }

  /** Every event of a stream, verified, personal fields in plain. */
  async stream(name: string): Promise<readonly LoggedEvent[]> {
    return (await this.opened.platform.events.load(name, { personal: 'plain' })).events;
  }

  /** Stored texts of jobs and of what stands beside their logs: what a request caused, and no reaction to an earlier one. */
  async jobTexts(): Promise<readonly string[]> {
    return (await this.texts()).filter((text) => /"stream":"(?:job|amendment)-/.test(text));
  }

  /** Every stored text there is. */
  async texts(): Promise<readonly string[]> {
    const { events } = await this.opened.platform.eventStore.readAll({ after: '0' as never, limit: 4096 });
    return events.map((event) => event.text);
  }
}

async function openHeld(config: Config, wiring: Wiring, held: Held): Promise<OpenApp> {
  const opened = await openApp(config, wiring);
  if (held === 'as described') holdToDescription(opened.app.fastify);
  return opened;
}

function configOf(folder: string, server: EventStoreForTests, settings: Settings) {
  return readConfig({ MACE_DATA_DIR: folder, MACE_LOG_LEVEL: 'silent', ...server.settings, ...settings });
}
