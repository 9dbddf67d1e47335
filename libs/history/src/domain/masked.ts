import { canonicalize, type Json, sha256Hex } from '#lib/kernel';

const MARK_LENGTH = 8;

/**
 * A stored value with a mark in the place of whatever is encrypted. The mark is of the ciphertext, which is new with each
 * writing: it tells that something was written, and nothing of what.
 */
export function masked(value: Json): Json {
  if (Array.isArray(value)) return (value as readonly Json[]).map(masked);
  if (typeof value !== 'object' || value === null) return value;
  if ('$enc' in value) return `[personal ${sha256Hex(canonicalize(value)).slice(0, MARK_LENGTH)}]`;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, masked(member)]));
}
