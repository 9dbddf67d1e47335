import { decryptField, isEncrypted } from '#lib/event-store';
import { canonicalize, PERSONAL_MEMBER, sha256Hex, type Json, type JsonObject, type StoredEnvelope } from '#lib/kernel';

import type { IntegrityRules } from './rules.js';

/** A person's data key; `destroyed` where it is gone with them, `unknown` where it cannot be had. */
export type DataKey = Buffer | 'destroyed' | 'unknown';

/** Gives data keys by kid; nobody keeps them longer than for one range. */
export interface KeySource {
  keys(kids: readonly string[]): Promise<ReadonlyMap<string, DataKey>>;
}

export interface ReferenceFindings {
  readonly fault: string | null;
  readonly references: number;
  /** Of those, how many stand by their event's own hash alone: what was said is erased. */
  readonly erased: number;
  /** And how many because the key cannot be had now. */
  readonly unchecked: number;
}

interface Reference {
  readonly event_id: string;
  readonly hash: string;
}

/** kids of the personal fields that a log's references are computed from. */
export function kidsOf(data: JsonObject): string[] {
  return Object.values(data).flatMap((value) => (isEncrypted(value) ? [value.$enc.kid] : []));
}

/**
 * Whether a log refers to what its job holds: each id an event of the job, each hash that of the event's data in plain
 * (spec/decisions.md, "ReflectiveLog").
 * @param events those of the job up to the log, by event_id
 */
export function checkReferences(
  log: StoredEnvelope,
  events: ReadonlyMap<string, StoredEnvelope>,
  rules: IntegrityRules,
  keys: ReadonlyMap<string, DataKey>,
): ReferenceFindings {
  const { ids, hashed } = rules.jobs;
  const none = { references: 0, erased: 0, unchecked: 0 };
  for (const name of ids) {
    const lost = listed<string>(log.data[name]).find((id) => !events.has(id));
    if (lost !== undefined) return { ...none, fault: notHeld(lost) };
  }
  const plain = plainData(log, rules, keys);
  if (plain === 'unreadable') return { ...none, fault: 'what it refers to does not open with its data key' };
  if (plain === 'erased' || plain === 'unchecked') return { ...none, references: 1, [plain]: 1, fault: null };
  const found = { ...none };
  for (const { event_id, hash } of hashed.flatMap((name) => listed<Reference>(plain[name]))) {
    const event = events.get(event_id);
    if (!event) return { ...found, fault: notHeld(event_id) };
    const said = plainData(event, rules, keys);
    found.references++;
    if (said === 'unreadable') return { ...found, fault: `event ${event_id} does not open with its data key` };
    if (said === 'erased' || said === 'unchecked') found[said]++;
    else if (sha256Hex(canonicalize(said)) !== hash)
      return { ...found, fault: `event ${event_id} is not what it refers to` };
  }
  return { ...found, fault: null };
}

function notHeld(eventId: string): string {
  return `it refers to event ${eventId}, which the job does not hold`;
}

function listed<T>(value: unknown): readonly T[] {
  return Array.isArray(value) ? (value as readonly T[]) : [];
}

/** An event's data as it was decided; `unreadable` where a field does not open with its own key. */
function plainData(
  { type, data, metadata }: StoredEnvelope,
  { together }: IntegrityRules,
  keys: ReadonlyMap<string, DataKey>,
): JsonObject | 'erased' | 'unchecked' | 'unreadable' {
  const plain: Record<string, Json> = {};
  for (const [name, value] of Object.entries(data)) {
    if (!isEncrypted(value)) {
      plain[name] = value;
      continue;
    }
    const dataKey = keys.get(value.$enc.kid) ?? 'unknown';
    if (dataKey === 'destroyed') return 'erased';
    if (dataKey === 'unknown') return 'unchecked';
    try {
      const opened = decryptField({ dataKey }, metadata.event_id, `/${name}`, value);
      if (name === PERSONAL_MEMBER && together.includes(type)) Object.assign(plain, opened);
      else plain[name] = opened;
    } catch {
      return 'unreadable';
    }
  }
  return plain;
}
