import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { openKeyFile, type Role, signToken } from '#lib/access';
import type { ProjectionListing } from '#lib/projections';

import { until } from './eventually.js';
import { EACH_ITS_OWN, ServedProcess } from './served-process.js';
import { SharedStores } from './shared-stores.js';

const CLI = join(process.cwd(), 'dist/mace/main.js');

export interface Answered<T> {
  readonly status: number;
  readonly body: T;
}
export interface Ended {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

/** An API that hosts nothing and workers, each a process, on doubles of EventStoreDB and MongoDB, which is another one. */
export class Workshop {
  private readonly processes: ServedProcess[] = [];

  private constructor(
    readonly folder: string,
    readonly stores: SharedStores,
    readonly api: ServedProcess,
    private readonly more: Readonly<Record<string, string>>,
  ) {}

  /** @param more settings of the API and of every worker */
  static async open(name: string, more: Readonly<Record<string, string>> = {}): Promise<Workshop> {
    const folder = mkdtempSync(join(tmpdir(), `mace-${name}-`));
    const stores = await SharedStores.start(folder);
    try {
      const settings = { ...stores.settings, ...more, MACE_ROLE: 'api' };
      const api = await ServedProcess.start(join(folder, 'api'), settings);
      return new Workshop(folder, stores, api, more);
    } catch (error) {
      await stores.stop();
      throw error;
    }
  }

  /** Another worker, with a data folder of that name; or where the name is a path, with that one. */
  async worker(name: string, more: Readonly<Record<string, string>> = {}): Promise<ServedProcess> {
    const settings = { ...this.stores.settings, ...this.more, ...more };
    const worker = await ServedProcess.start(this.dataDirOf(name), settings, 'worker');
    this.processes.push(worker);
    return worker;
  }

  token(role: Role): Promise<string> {
    const now = Date.now();
    const file = this.stores.settings['MACE_KEYS_FILE']!;
    const ring = openKeyFile(file, { mayDraw: false, production: false, now });
    const by = { issuer: 'mace', audience: 'mace', ttlSeconds: 3600, amr: ['otp'], now };
    return signToken(ring, { userId: role, roles: [role], ...by });
  }

  async call<T>(role: Role, method: string, path: string, body?: unknown): Promise<Answered<T>> {
    const response = await fetch(this.api.url + path, {
      method,
      headers: {
        authorization: `Bearer ${await this.token(role)}`,
        'content-type': 'application/json',
        ...EACH_ITS_OWN,
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    return { status: response.status, body: (await response.json()) as T };
  }

  /** `mace …` as a process of its own, through whoever serves the data folder of that name. */
  async mace(name: string, ...args: readonly string[]): Promise<Ended> {
    const env = { ...process.env, ...this.stores.settings, MACE_ROLE: 'api', MACE_DATA_DIR: this.dataDirOf(name) };
    const child = spawn(process.execPath, [CLI, ...args], { env, stdio: ['ignore', 'pipe', 'pipe'] });
    let [out, err] = ['', ''];
    child.stdout.on('data', (chunk: Buffer) => (out += chunk.toString()));
    child.stderr.on('data', (chunk: Buffer) => (err += chunk.toString()));
    return new Promise((resolve) => child.once('close', (code) => resolve({ code, out, err })));
  }

  async projections(): Promise<readonly ProjectionListing[]> {
    return (await this.call<{ items: readonly ProjectionListing[] }>('operator', 'GET', '/projections')).body.items;
  }

  /** Every read model is as far as the log. */
  caughtUp(): Promise<void> {
    const isThere = ({ state, lag }: ProjectionListing): boolean => state === 'live' && lag.events === 0;
    return until(async () => (await this.projections()).every(isThere), 'read models that are as far as the log');
  }

  async close(): Promise<void> {
    for (const one of this.processes) await one.kill();
    await this.api.kill();
    await this.stores.stop();
    rmSync(this.folder, { recursive: true, force: true });
  }

  private dataDirOf(name: string): string {
    return name.startsWith('/') ? name : join(this.folder, name);
  }
}

/** Lines that a process wrote to its log since, without stacks. */
export function linesOf(process: ServedProcess, from = 0): readonly string[] {
  const lines = process.log().slice(from).split('\n');
  return lines.filter((line) => line !== '' && !line.startsWith('    at '));
}
