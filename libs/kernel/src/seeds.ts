import { sha256Hex } from './hash.js';

/** Seeds from which every id, seeded time and draw follows (spec/kernel.md, "Seeds"). */

const CALLER_SEED = /^[A-Za-z0-9._:-]{1,128}$/;
const RESERVED_PREFIXES = ['cmd:', 'after:', 'system:', 'replay:'] as const;

/** The allowed form of a caller's job_seed, for error texts. */
export const CALLER_SEED_FORM =
  '1-128 characters of A-Za-z0-9._:- and not beginning with cmd:, after:, system: or replay:';

export function isCallerSeed(seed: string): boolean {
  return CALLER_SEED.test(seed) && !RESERVED_PREFIXES.some((prefix) => seed.startsWith(prefix));
}

/** The seed of a command outside a job; one key of two people, or on two routes, never meets. */
export function commandSeed(principal: string, method: string, path: string, idempotencyKey: string): string {
  return `cmd:${sha256Hex(`${principal}\n${method}\n${path}\n${idempotencyKey}`).slice(0, 32)}`;
}

/** The seed of what a reactor appends because of an event; repeating the reaction repeats its ids. */
export function reactionSeed(reactor: string, causeEventId: string): string {
  return `after:${reactor}:${causeEventId}`;
}

/** `occurrence` is drawn at the edge, once an occurrence. */
export function systemSeed(component: string, occurrence: string): string {
  return `system:${component}:${occurrence}`;
}

export function replaySeed(replayId: string): string {
  return `replay:${replayId}`;
}
