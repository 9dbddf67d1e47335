import { oneShotUint32 } from './rng.js';

const BASE_MS = Date.UTC(2025, 0, 1);
const SECONDS_A_YEAR = 31_536_000;

/**
 * `timestamp_seeded` in ISO 8601 with milliseconds and Z: a moment of 2025 drawn from the seed, plus `n` milliseconds,
 * n being the event's sequence_index (spec/kernel.md, "Time"). Anything that can influence a decision uses it.
 */
export function timestampSeeded(jobSeed: string, n: number): string {
  return new Date(seedEpochMs(jobSeed) + n).toISOString();
}

/** Milliseconds since the Unix epoch of sequence_index 0. */
export function seedEpochMs(jobSeed: string): number {
  return BASE_MS + (oneShotUint32(jobSeed) % SECONDS_A_YEAR) * 1000;
}
