import type { KeyObject } from 'node:crypto';

import {
  type EventLog,
  openStreamReader,
  type Position,
  type StreamReader,
  type SubjectCiphers,
  UnknownSubjectKeyError,
} from '#lib/event-store';
import { type KeyRing, MaceError } from '#lib/kernel';
import { COVERED_WITHIN_MS, type ProofLog, signedLeaves } from '#lib/proof';
import type { WorkUnderWay } from '#lib/projections';
import {
  type DataKeys,
  jobsInFolder,
  jobsInStore,
  type RangeReads,
  RangeReplayer,
  type Replays,
  type ReplaySources,
  SweepRecord,
  Sweeps,
  type SweepsParts,
  type SweepThreads,
  type SweptCheckpoint,
} from '#lib/replay';

import { KeptThreads } from './kept-threads.js';
import { startSweepThread, verifyingKeysOf } from './sweep-threads.js';

export interface SweptPlatform {
  readonly log: EventLog;
  readonly ring: KeyRing;
  readonly ciphers: SubjectCiphers;
  readonly proof: ProofLog;
  readonly replays: Replays;
  readonly reviews: NonNullable<ReplaySources['reviews']>;
  readonly underWay: WorkUnderWay;
  readonly listed: SweepsParts['listed'];
  /** Path of the data folder. */
  readonly dataDir: string;
  readonly onTrouble: (error: unknown) => void;
}

/** Sweeps over the log of this process, with what must be closed after them. */
export class SweptLog {
  private isClosed = false;

  constructor(
    readonly sweeps: Sweeps,
    private readonly reader: StreamReader | undefined,
    private readonly threads: KeptThreads,
  ) {}

  /** Again is no error. */
  async close(): Promise<void> {
    await this.sweeps.stop();
    if (this.isClosed) return;
    this.isClosed = true;
    await this.threads.close();
    this.reader?.close();
  }
}

export function sweptLogOf(platform: SweptPlatform): SweptLog {
  const { log, replays, proof, ciphers, reviews, dataDir, onTrouble } = platform;
  const { store } = log;
  const reader = store.count ? openStreamReader(dataDir) : undefined;
  const owner = { keys: dataKeysOf(ciphers, onTrouble), broughtTo: () => reviews.broughtTo() };
  const threads = new KeptThreads(() => startSweepThread({ folder: dataDir, background: true }, owner));
  const parts: SweepsParts = {
    store,
    replays,
    record: new SweepRecord(log),
    jobs: reader ? jobsInFolder(reader) : jobsInStore(store),
    open: openingOn(platform, reader, threads),
    covering: (position) => covering(proof, position),
    underWay: platform.underWay,
    listed: platform.listed,
    now: Date.now,
    onTrouble,
  };
  return new SweptLog(new Sweeps(parts), reader, threads);
}

/** A thread starts in a second or so: fewer jobs than this are replayed sooner without. */
const FEW_JOBS = 32;

function openingOn(platform: SweptPlatform, reader: StreamReader | undefined, kept: KeptThreads): SweepsParts['open'] {
  return (threads, checkpoint, jobs) => {
    if (!reader || jobs < FEW_JOBS) return inThisThread(platform, reader ?? platform.log.store, checkpoint);
    return kept.open(threads, { ring: verifyingKeysOf(platform.ring), checkpoint });
  };
}

/** For few jobs, and over a log that no other thread can read beside its owner. */
function inThisThread(
  { log: { codec }, ring, proof, reviews }: SweptPlatform,
  reads: RangeReads,
  checkpoint: SweptCheckpoint | null,
): SweepThreads {
  const tree = checkpoint ? { tree: signedLeaves(proof) } : {};
  const clock = (): number => performance.now();
  const replayer = new RangeReplayer({ reads, codec, ring, reviews, clock, ...tree });
  const worker = { depth: 1, replay: (jobIds: readonly string[]) => replayer.replay(jobIds) };
  return { workers: [worker], stop: () => Promise.resolve() };
}

/** What cannot be had is left out: whoever needs it finds out what is wrong with it. */
export function dataKeysOf(ciphers: SubjectCiphers, onTrouble: (error: unknown) => void): DataKeys {
  return async (kids) => {
    const keys = new Map<string, KeyObject | 'destroyed'>();
    for (const kid of kids) {
      try {
        const cipher = ciphers.cachedKid(kid) ?? (await ciphers.forKid(kid));
        keys.set(kid, cipher === 'destroyed' ? cipher : cipher.dataKey);
      } catch (error) {
        if (!(error instanceof UnknownSubjectKeyError)) onTrouble(error);
      }
    }
    return keys;
  };
}

async function covering(proof: ProofLog, position: Position): Promise<SweptCheckpoint | null> {
  if (position === '0') return null;
  try {
    const { size, root } = await proof.covering(position, COVERED_WITHIN_MS);
    return { size, root };
  } catch (error) {
    if (error instanceof MaceError && error.code === 'WAIT_TIMEOUT') return null;
    throw error;
  }
}
