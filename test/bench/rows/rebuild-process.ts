import { setTimeout as sleep } from 'node:timers/promises';

import { emptyHead } from '#lib/event-store';
import { type DomainEvent, sha256Hex } from '#lib/kernel';
import { semProjection, semStream } from '#lib/memory';
import { ProjectionHost, ProjectionRecord, ReadModel, Rebuilds, type RebuildView } from '#lib/projections';
import { SqliteReadStore } from '#lib/read-store';

import { cpuOf } from '../harness/callers.js';
import { quantile } from '../harness/statistics.js';
import { openEventSide } from './event-side.js';
import { provenanceOf } from './sample-events.js';

interface Latencies {
  readonly commands: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
}

export interface RebuildDone {
  readonly kind: 'done';
  readonly perSecond: number;
  readonly before: Latencies;
  readonly during: Latencies;
  /** Most memory the process, all its threads included, ever had; and when a third of the way was done. */
  readonly peakMiB: number;
  readonly earlyPeakMiB: number;
  /** Memory of the process where a tenth of the way, half of it and all of it was done. */
  readonly rssMiB: readonly [tenth: number, half: number, end: number];
  /** Processor time of the rebuild and of the commands beside it, an event of the rebuild. */
  readonly cpuMicroseconds: number;
  /** Looks at the progress, and how many of them lay between the checkpoints before and after the look. */
  readonly looks: number;
  readonly trueLooks: number;
  readonly equal: boolean;
}

/** Not counted: they wait for the compiler, which commands beside a rebuild do not. */
const WARM_UP = 500;
const COMMANDS_BEFORE = 1000;
const PAUSE_MS = 2;

/** `rebuild-process.js FOLDER EVENTS ROUND` */
const [folder = '', count = '0', round = '0'] = process.argv.slice(2);
const events = Number(count);
const side = await openEventSide(folder);
const documents = await SqliteReadStore.open({ folder });
const { store, codec } = side.log;
const record = new ProjectionRecord(side.log);
const projections = [semProjection];
const host = new ProjectionHost({
  projections,
  events: store,
  documents,
  decode: (recorded) => codec.decode(recorded),
  record,
});
const rebuilds = new Rebuilds({ projections, events: store, documents, record, host });
const model = new ReadModel(documents, semProjection);
let nth = 0;

host.start();
await host.waitFor(await store.head(), ['sem'], 3_600_000);
await commandsWhile(() => nth < WARM_UP);
const before = await commandsWhile(() => nth < WARM_UP + COMMANDS_BEFORE);

const cpu = process.cpuUsage();
const began = performance.now();
let view = await rebuilds.begin('sem', provenanceOf(Number(round), 9), null);
let isRunning = true;
let [looks, trueLooks, earlyPeak, tenth, half] = [0, 0, peak(), 0, 0];
const watching = watch();
const during = await commandsWhile(() => isRunning);
await watching;
const rssMiB = [tenth, half, rss()] as const;
const cpuMicroseconds = cpuOf(process.cpuUsage(cpu)) / events;
const perSecond = (events * 1000) / (performance.now() - began);
await rebuilds.cancel('sem', view.rebuild_id, provenanceOf(Number(round), 8), null);
process.send!({
  kind: 'done',
  perSecond,
  before,
  during,
  peakMiB: peak(),
  earlyPeakMiB: earlyPeak,
  rssMiB,
  cpuMicroseconds,
  looks,
  trueLooks,
  equal: view.equal === true,
} satisfies RebuildDone);
await host.stop();
await documents.close();
await side.close();
process.disconnect();

/** One command after another with a short rest: appended, projected, and found by who gave it. */
async function commandsWhile(goesOn: () => boolean): Promise<Latencies> {
  const taken: number[] = [];
  while (goesOn()) {
    const began = performance.now();
    await command(nth++);
    taken.push(performance.now() - began);
    await sleep(PAUSE_MS);
  }
  return { commands: taken.length, p50Ms: quantile(taken, 0.5), p99Ms: quantile(taken, 0.99) };
}

async function command(n: number): Promise<void> {
  const key = `user/profile/user_of${round}/value_${n}`;
  const stream = semStream(key);
  await side.log.append(
    emptyHead(stream),
    [put(key, n)],
    provenanceOf(2_000_000_000 + Number(round) * 10_000_000 + n, 0),
  );
  await host.waitFor(await store.head(), ['sem'], 600_000);
  if (!(await model.get('sem', key))) throw new Error(`${key} was not found by who wrote it`);
}

function put(key: string, n: number): DomainEvent {
  const value = `value ${n}`;
  const timestamp = new Date(Date.UTC(2026, 0, 1) + n).toISOString();
  const value_hash = sha256Hex(JSON.stringify(value));
  return { type: 'SEM_PUT', data: { key, value, value_hash, source: 'user', timestamp, applied: true } };
}

async function watch(): Promise<void> {
  while (view.state === 'running') {
    const generation = { projection: 'sem', name: view.generation };
    const from = Number((await documents.checkpoint(generation))?.position ?? 0);
    view = await rebuilds.get('sem', view.rebuild_id);
    const to = Number((await documents.checkpoint(generation))?.position ?? 0);
    looks++;
    if (isTrue(view, from, to)) trueLooks++;
    if (view.processed * 3 <= view.total) earlyPeak = peak();
    if (tenth === 0 && view.processed * 10 >= view.total) tenth = rss();
    if (half === 0 && view.processed * 2 >= view.total) half = rss();
    await sleep(100);
  }
  isRunning = false;
}

function isTrue({ state, processed, total, events: read, position }: RebuildView, from: number, to: number): boolean {
  if (read === null || read > processed || processed > total) return false;
  return state === 'running' ? from <= processed && processed <= to : processed === Number(position);
}

function rss(): number {
  return process.memoryUsage.rss() / 2 ** 20;
}

function peak(): number {
  return process.resourceUsage().maxRSS / 1024;
}
