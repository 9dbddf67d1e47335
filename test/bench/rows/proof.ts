import { hash } from 'node:crypto';
import { once } from 'node:events';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';

import { fixtureKeyRing } from '#lib/access';
import { emptyHead, type EventStore, positionOf, type RecordedEvent, RowSignatures } from '#lib/event-store';
import { LogKeys, MerkleLog } from '#lib/proof';

import { AnchorFile } from '../../../libs/proof/src/anchor-file.js';
import { ProofStore } from '../../../libs/proof/src/store/proof-store.js';
import { cpuOf } from '../harness/callers.js';
import { atMost, type Line, type Row } from '../harness/row.js';
import { interleave, median, pairedRatio } from '../harness/statistics.js';
import { benchCodec } from './event-side.js';
import { PLAIN_EVENT, provenanceOf } from './sample-events.js';

const EVENTS = 51_200;
const BATCH = 256;
/** As many as it takes until what makes them is compiled, several times. */
const PROOFS = 10_000;

/**
 * What the Merkle log costs beside the appends, in processor time of all threads: leaves, nodes, a signed checkpoint
 * with its consistency proof for each 256 events, stored and kept beside the keys. And what a proof costs then.
 */
export const proof: Row = {
  name: 'proof',
  async run({ folder, rounds, scale, say }) {
    const count = Math.max(BATCH, Math.ceil((EVENTS * scale) / BATCH) * BATCH);
    say('making the events');
    const events = await readyEvents(count);
    let place = 0;
    const proofs: number[] = [];
    const figures = await interleave(
      {
        baseline: async () =>
          perSecond(count, async () => void events.map(({ text }) => hash('sha256', text, 'buffer'))),
        measured: async () => {
          const side = await follow(join(folder, `proof-${place++}`), events);
          proofs.push(await microsecondsOfAProof(side.log, events));
          await side.log.close();
          return side.perSecond;
        },
      },
      { rounds, onTask: (task, round) => say(`round ${round}, ${task}`) },
    );
    return [lineOfAppends(figures, count), lineOfProofs(proofs.slice(-figures.baseline.length), figures.baseline)];
  },
};

interface Figures {
  readonly baseline: readonly number[];
  readonly measured: readonly number[];
}

function lineOfAppends({ baseline, measured }: Figures, events: number): Line {
  const microseconds = 1e6 / median(measured);
  return {
    name: 'Merkle log and checkpoints',
    unit: 'events/s of processor time',
    figure: median(measured),
    baseline: median(baseline),
    baselineName: 'SHA-256 of the same texts, once each',
    ratio: pairedRatio(measured, baseline),
    aims: [atMost('microseconds an append', microseconds, 10, 'time')],
    details: { microseconds, 'events a round': events, 'events a checkpoint': BATCH },
  };
}

function lineOfProofs(microseconds: readonly number[], baseline: readonly number[]): Line {
  const rates = microseconds.map((each) => 1e6 / each);
  return {
    name: 'proof of one event',
    unit: 'proofs/s of processor time',
    figure: median(rates),
    baseline: median(baseline),
    baselineName: 'SHA-256 of the same texts, once each',
    ratio: pairedRatio(rates, baseline),
    aims: [atMost('microseconds a proof', median(microseconds), 30, 'time')],
    details: { microseconds: median(microseconds) },
  };
}

async function perSecond(count: number, work: () => Promise<void>): Promise<number> {
  const before = process.cpuUsage();
  await work();
  return (count / cpuOf(process.cpuUsage(before))) * 1e6;
}

async function follow(path: string, events: readonly RecordedEvent[]) {
  mkdirSync(path, { recursive: true });
  const keys = new LogKeys(fixtureKeyRing(), 'mace.local/bench', Date.now);
  const store = await ProofStore.open(join(path, 'proof.db'));
  const anchor = new AnchorFile(path, keys.origin);
  const signatures = new RowSignatures(fixtureKeyRing());
  const source = sourceOf(events);
  const log = new MerkleLog({ events: source, store, keys, signatures, anchor, now: Date.now, batchEvents: BATCH });
  const rate = await perSecond(events.length, async () => {
    log.start();
    await log.covering(events.at(-1)!.position, 600_000);
  });
  return { log, perSecond: rate };
}

async function microsecondsOfAProof(log: MerkleLog, events: readonly RecordedEvent[]): Promise<number> {
  const checkpoint = log.latest()!;
  const rate = await perSecond(PROOFS, async () => {
    for (let n = 0; n < PROOFS; n++) {
      const { id } = events[(n * 7919) % events.length]!;
      if (!(await log.proofOf(id, checkpoint))) throw new Error(`event ${id} has no proof`);
    }
  });
  return 1e6 / rate;
}

/** A batch at a time, as many appenders at once make them; nothing is stored, so that nothing else is measured. */
function sourceOf(events: readonly RecordedEvent[]): EventStore {
  const page = (from: number, limit: number) => {
    const slice = events.slice(from, from + limit);
    const scannedTo = slice.at(-1)?.position ?? positionOf(from);
    return { events: slice, scannedTo, atHead: true, isOwn: true as const };
  };
  const refuse = (): never => {
    throw new Error('the source of the benchmark is only read');
  };
  return {
    append: refuse,
    readStream: refuse,
    streamVersion: refuse,
    head: async () => events.at(-1)!.position,
    readAll: async ({ after, limit }) => page(Number(after), limit),
    async *subscribeAll({ after, signal }) {
      for (let at = Number(after); at < events.length; at += BATCH) yield { kind: 'page', page: page(at, BATCH) };
      if (signal && !signal.aborted) await once(signal, 'abort');
    },
    close: async () => undefined,
  };
}

async function readyEvents(count: number): Promise<readonly RecordedEvent[]> {
  const codec = benchCodec();
  const ciphers = await codec.prepare([PLAIN_EVENT]);
  return Array.from({ length: count }, (_, nth) => {
    const stream = `job-${nth}`;
    const [event] = codec.encode(emptyHead(stream), [PLAIN_EVENT], provenanceOf(nth, nth), ciphers);
    const { id, type, text, utf8 } = event!;
    // Member by member, as a store makes them: V8 reads the members of a copied object several times as slowly.
    return { stream, revision: 0, position: positionOf(nth + 1), id, type, text, utf8, recordedAt: 0 };
  });
}
