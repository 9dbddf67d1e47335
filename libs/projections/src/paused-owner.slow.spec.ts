import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface, type Interface } from 'node:readline';
import { MemoryReadStore, openMongoReadStore, type ReadStore } from '#lib/read-store';
import { MongoWire } from '../../../test/fixtures/mongodb-wire/mongodb-wire.js';
import { until } from '../../../test/support/eventually.js';
import { ProjectionRunner } from './projection-runner.js';
import { computedLog } from './testing/computed-log.js';
import { notesProjection, parse } from './testing/notes.js';

/** The built twin of src/testing/leased-worker.ts; `npm test` builds first. */
const PROGRAM = join(process.cwd(), 'dist/libs/projections/src/testing/leased-worker.js');
const EVENTS = 700;
const LIVE = { projection: 'notes', name: 'v1' };
const HOURS = 3_600_000;

/** One process, and the lines that it has said so far. */
class Worker {
  private readonly lines: Interface;
  private readonly said: string[] = [];

  constructor(readonly child: ChildProcess) {
    this.lines = createInterface({ input: child.stdout! });
    this.lines.on('line', (line) => this.said.push(line));
  }

  async says(word: string): Promise<void> {
    while (!this.said.includes(word)) await once(this.lines, 'line');
    this.said.splice(0, this.said.lastIndexOf(word) + 1);
  }

  async end(): Promise<void> {
    if (this.child.exitCode !== null || this.child.signalCode !== null) return;
    const ended = once(this.child, 'exit');
    this.child.kill('SIGCONT');
    this.child.stdin!.end();
    await ended;
  }
}

describe.each([true, false])('two processes with one projection (MongoDB with transactions: %s)', (replicaSet) => {
  let wire: MongoWire;
  let documents: ReadStore;
  const workers: Worker[] = [];
  beforeEach(async () => {
    wire = await MongoWire.start({ replicaSet });
    documents = await openMongoReadStore({ url: wire.url });
  });
  afterEach(async () => {
    for (const { child } of workers.splice(0)) child.kill('SIGKILL');
    await documents.close();
    await wire.close();
  });

  function start(leaseMs: number, waitsAt = ''): Worker {
    const args = [PROGRAM, wire.url, String(EVENTS), String(leaseMs), waitsAt];
    const worker = new Worker(spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'inherit'] }));
    workers.push(worker);
    return worker;
  }

  it('the owner that was stopped in the middle and wakes up applies nothing, and waits for its turn', async () => {
    const first = start(HOURS, '210');
    await first.says('waiting');
    // Not within a transaction, of which the double has one at a time and which nobody there would end.
    await until(async () => (await documents.checkpoint(LIVE))?.position === '203');
    first.child.kill('SIGSTOP');
    // It finds this when it wakes up: it then goes on reading, and writes what it has.
    first.child.stdin!.write('go on\n');
    const second = start(50);
    await second.says('live');
    const [digest, checkpoint] = [await documents.digest(LIVE), await documents.checkpoint(LIVE)];
    expect(checkpoint?.position).toBe(String(EVENTS));

    first.child.kill('SIGCONT');
    await first.says('standby');
    expect(await documents.digest(LIVE)).toEqual(digest);
    expect(await documents.checkpoint(LIVE)).toEqual(checkpoint);
    expect(digest.digest).toBe(await undisturbed());
    await second.end();
    await first.end();
  });

  async function undisturbed(): Promise<string> {
    const fresh = new MemoryReadStore();
    const events = computedLog(EVENTS, () => undefined);
    const runner = new ProjectionRunner(notesProjection, { events, documents: fresh, decode: parse });
    runner.start();
    await runner.waitFor(String(EVENTS), 60_000);
    await runner.stop();
    return (await fresh.digest(LIVE)).digest;
  }
});
