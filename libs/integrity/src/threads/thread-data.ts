import { setPriority } from 'node:os';
import { setImmediate as nextTurn } from 'node:timers/promises';

import { KeyRing, type RingKey } from '#lib/kernel';

import type { DataKey, KeySource } from '../range/log-references.js';
import type { IntegrityRules } from '../range/rules.js';
import type { WalkState } from '../walk/walk-state.js';
import type { Calls } from './calls.js';
import { Courtesy } from './courtesy.js';

/** What a thread that reads the log is started with. */
export interface RangeThreadData {
  /** Path of the data folder. */
  readonly folder: string;
  readonly rules: IntegrityRules;
  /** Keys that verify events; with their secrets, within one process. */
  readonly ring: readonly RingKey[];
  /** Gives way to whoever else works. */
  readonly background: boolean;
  /** Threads that check, this one among them. */
  readonly workers: number;
}

export interface WalkThreadData extends RangeThreadData {
  /** A walk to begin. */
  readonly begin: WalkState;
  /** Goes on with the one that was left, where there is one. */
  readonly resume: boolean;
  readonly maxRate: number | null;
}

/** Only what verifies events leaves the main thread. */
export function eventKeysOf(ring: KeyRing): readonly RingKey[] {
  return ring.all().filter(({ purpose }) => purpose === 'event-hmac');
}

/** Bytes travel as plain arrays of bytes. */
export function ringOf(keys: readonly RingKey[]): KeyRing {
  return new KeyRing(keys.map((key) => ({ ...key, secret: Buffer.from(key.secret) })));
}

/** Data keys, asked for in the thread that has them; a key object is handed over between threads as it is. */
export function askedKeys(calls: Calls): KeySource {
  return {
    async keys(kids) {
      if (kids.length === 0) return new Map();
      return calls.ask<ReadonlyMap<string, DataKey>>('keys', kids);
    },
  };
}

/** What is done between two parts of the work; other threads ask this one for keys, and would wait for a whole range. */
export function turns(calls: Calls, { background, workers }: RangeThreadData): () => Promise<unknown> {
  if (!background) return nextTurn;
  giveWay();
  const courtesy = new Courtesy({ busy: () => calls.ask('busy', null), threads: workers });
  return () => courtesy.turn().then(() => nextTurn());
}

/** About a tenth of a processor that somebody else wants too; all of one that nobody does. */
const LOW = 10;

/**
 * On Linux a priority is a thread's, so that the scheduler lets everybody else go first and the walk takes what nobody
 * wants. Elsewhere it would be the whole process's: there `maxRate` is what holds a walk back.
 */
export function giveWay(): void {
  if (process.platform === 'linux') setPriority(0, LOW);
}
