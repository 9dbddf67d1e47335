import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import { until } from '../support/eventually.js';
import { EACH_ITS_OWN, ServedProcess, tokenFor } from '../support/served-process.js';
import { SseReader } from '../support/sse-reader.js';

jest.setTimeout(300_000);

const KILLS = 2;

let folder: string;
let server: ServedProcess;
let auditor: string;
let writer: string;

beforeAll(async () => {
  // On a disk, where the others may be in memory (scripts/lib/test-folder.mjs).
  folder = await mkdtemp(join(process.env['MACE_TEST_DISK'] ?? tmpdir(), 'mace-tail-'));
  server = await ServedProcess.start(folder);
  auditor = tokenFor(folder, 'ann', 'auditor');
  writer = tokenFor(folder, 'tuff', 'user');
});
afterAll(async () => {
  await server.kill();
  await rm(folder, { recursive: true, force: true });
});

const as = (token: string) => ({ authorization: `Bearer ${token}` });

/** Follows the log whatever becomes of the server, as a browser does: each time after the last id that it has. */
class Follower {
  readonly ids: string[] = [];
  lastId = '0';
  connections = 0;
  private isOver = false;
  private reader: SseReader | undefined;
  private readonly following = this.follow();

  async stop(): Promise<void> {
    this.isOver = true;
    this.reader?.close();
    await this.following;
  }

  private async follow(): Promise<void> {
    while (!this.isOver) {
      const reader = await SseReader.open(`${server.url}/events/tail`, {
        ...as(auditor),
        'last-event-id': this.lastId,
      });
      this.reader = reader;
      if (reader.status === 200) this.connections += 1;
      let taken = 0;
      await until(() => {
        for (; taken < reader.ids.length; taken++) this.ids.push((this.lastId = reader.ids[taken]!));
        // Now and then it goes by itself.
        if (taken > 20 + 10 * this.connections) reader.close();
        return reader.isEnded || this.isOver;
      }, 'the end of a connection').catch(() => reader.close());
      await sleep(20);
    }
  }
}

async function write(n: number): Promise<boolean> {
  try {
    const response = await fetch(`${server.url}/sem/user/profile/user_tuff/favorite_color`, {
      method: 'PUT',
      headers: { ...as(writer), ...EACH_ITS_OWN, 'content-type': 'application/json' },
      body: JSON.stringify({ value: `colour ${n}` }),
    });
    return response.status === 200;
  } catch {
    // The server was killed under it; whether it was written is what the log says.
    return false;
  }
}

it('two readers who come again get the whole log between them and each by itself, over kills while others write', async () => {
  const followers = [new Follower(), new Follower()];
  let isOver = false;
  let written = 0;
  const writers = Array.from({ length: 4 }, async () => {
    while (!isOver) {
      if (await write(written)) written += 1;
      else await sleep(20);
    }
  });
  for (let kill = 1; kill <= KILLS; kill++) {
    await until(() => written >= kill * 25, 'writes');
    await server.kill();
    server = await ServedProcess.start(folder);
  }
  await until(() => written >= (KILLS + 1) * 25, 'writes');
  isOver = true;
  await Promise.all(writers);
  const whole = await SseReader.open(`${server.url}/events/tail?last_event_id=0&follow=false`, as(auditor));
  await whole.end();
  const log = whole.ids;
  expect(log.length).toBeGreaterThan((KILLS + 1) * 25);
  for (const follower of followers) {
    await until(() => follower.ids.length >= log.length, 'everything');
    await follower.stop();
    // What the server itself wrote since is beyond what is compared.
    expect(follower.ids.slice(0, log.length)).toEqual(log);
    expect(new Set(follower.ids).size).toBe(follower.ids.length);
    expect(follower.connections).toBeGreaterThan(KILLS);
  }
});

it('SIGTERM ends every stream with a last event that says so, and the process in time', async () => {
  const readers = await Promise.all(
    Array.from({ length: 20 }, () => SseReader.open(`${server.url}/events/tail`, as(auditor))),
  );
  readers[0]!.pause();
  expect(await server.stop()).toBe(0);
  for (const reader of readers.slice(1)) {
    expect(await reader.end()).toMatchObject({ event: 'closed' });
    expect(JSON.parse(reader.events.at(-1)!.data)).toMatchObject({ reason: 'server_stopping' });
  }
  readers[0]!.close();
});
