import { setTimeout as sleep } from 'node:timers/promises';
import { Agent, request as httpRequest } from 'node:http';
import { join } from 'node:path';

import { openKeyFile, type Role, signToken } from '#lib/access';
import type { KeyRing } from '#lib/kernel';

import type { Draw } from '../simulation/draw.js';
import { ServedProcess } from './served-process.js';
import { SharedStores } from './shared-stores.js';

export interface Answer {
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>>;
}

/** What a request says; sent again as it is, under its key, until somebody answers it. */
export interface Wish {
  readonly token: string;
  readonly method: string;
  readonly path: string;
  readonly body?: object;
  readonly key?: string;
}

/** Answers that mean: not now. */
const NOT_YET = [202, 503, 504];
const PAUSE_MS = 50;
const PATIENCE_MS = 120_000;

class Member {
  process: ServedProcess | undefined;
  private readonly told: string[] = [];

  constructor(
    readonly name: string,
    readonly command: 'serve' | 'worker',
    private readonly folder: string,
    private readonly settings: Readonly<Record<string, string>>,
  ) {}

  async start(): Promise<void> {
    this.process = await ServedProcess.start(join(this.folder, this.name), this.settings, this.command);
  }

  async kill(): Promise<void> {
    const { process } = this;
    this.process = undefined;
    await process?.kill();
    this.told.push(process?.log() ?? '');
  }

  /** What it wrote to stderr in all its lives. */
  get log(): string {
    return [...this.told, this.process?.log() ?? ''].join('');
  }
}

/** Two APIs and two workers, each a process with a data folder of its own, on one event store and one read store. */
export class Fleet {
  private readonly agent = new Agent({ keepAlive: true, maxSockets: 64 });
  private readonly ring: KeyRing;
  private turn = 0;

  private constructor(
    readonly folder: string,
    readonly stores: SharedStores,
    readonly members: readonly Member[],
  ) {
    const file = stores.settings['MACE_KEYS_FILE']!;
    this.ring = openKeyFile(file, { mayDraw: false, production: false, now: Date.now() });
  }

  /** All at once, on an empty log. */
  static async start(folder: string, leases: Readonly<Record<string, string>>): Promise<Fleet> {
    const stores = await SharedStores.start(folder);
    const settings = { ...stores.settings, ...leases, MACE_ROLE: 'api' };
    const members = (['serve', 'worker'] as const).flatMap((command) =>
      [0, 1].map((nth) => new Member(`${command}-${nth}`, command, folder, settings)),
    );
    const fleet = new Fleet(folder, stores, members);
    try {
      await Promise.all(members.map((member) => member.start()));
    } catch (error) {
      await fleet.end();
      throw error;
    }
    return fleet;
  }

  /** Settings of one more process on the same stores, which hosts nothing. */
  settingsOf(name: string): Readonly<Record<string, string>> {
    return { ...this.stores.settings, MACE_ROLE: 'api', MACE_DATA_DIR: join(this.folder, name) };
  }

  async token(userId: string, roles: readonly Role[], amr?: readonly string[]): Promise<string> {
    const now = Date.now();
    const order = { userId, roles, issuer: 'mace', audience: 'mace', ttlSeconds: 3600, now };
    return signToken(this.ring, { ...order, ...(amr ? { amr } : {}) });
  }

  /** Kills one of them as a power cut would, and starts it again; or lets a worker sleep until others do its work. */
  async strike(draw: Draw, sleepMs: number): Promise<string> {
    const member = draw.one(this.members);
    if (member.command === 'worker' && draw.chance(0.3)) {
      member.process?.tell('SIGSTOP');
      await sleep(sleepMs);
      member.process?.tell('SIGCONT');
      return `${member.name} (asleep)`;
    }
    await member.kill();
    await member.start();
    return member.name;
  }

  /** Sends a wish to one API after another until one of them has answered it. @throws Error where none does */
  async fulfil(wish: Wish): Promise<Answer> {
    const deadline = performance.now() + PATIENCE_MS;
    for (;;) {
      const answer = await this.tryOnce(wish);
      if (answer && !NOT_YET.includes(answer.status)) return answer;
      if (performance.now() > deadline)
        throw new Error(`nobody has answered ${wish.method} ${wish.path}: ${JSON.stringify(answer)}`);
      await sleep(PAUSE_MS);
    }
  }

  /** Null where it got no answer. */
  async tryOnce(wish: Wish): Promise<Answer | null> {
    const urls = this.members.flatMap(({ process }) => (process?.url ? [process.url] : []));
    const url = urls[this.turn++ % Math.max(1, urls.length)];
    return url === undefined ? null : this.send(url, wish).catch(() => null);
  }

  /** The exit codes of those that run, told to stop all at once. */
  async stop(): Promise<readonly (number | null)[]> {
    return Promise.all(this.members.flatMap(({ process }) => (process ? [process.stop()] : [])));
  }

  async end(): Promise<void> {
    this.agent.destroy();
    await Promise.all(this.members.map((member) => member.kill()));
    await this.stores.stop();
  }

  private send(url: string, { token, method, path, body, key }: Wish): Promise<Answer> {
    const headers = {
      authorization: `Bearer ${token}`,
      ...(body ? { 'content-type': 'application/json' } : {}),
      ...(key === undefined ? {} : { 'idempotency-key': key }),
    };
    return new Promise((resolve, reject) => {
      const request = httpRequest(new URL(path, url), { method, headers, agent: this.agent }, (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('error', reject);
        response.on('aborted', () => reject(new Error('aborted')));
        response.on('end', () => {
          const text = Buffer.concat(chunks).toString();
          resolve({ status: response.statusCode ?? 0, body: JSON.parse(text) as Answer['body'] });
        });
      });
      request.on('error', reject);
      request.end(body ? JSON.stringify(body) : undefined);
    });
  }
}
