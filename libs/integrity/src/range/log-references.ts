import type { KeyObject } from 'node:crypto';

import { decryptField, isEncrypted } from '#lib/event-store';
import { canonicalize, PERSONAL_MEMBER, sha256Hex, type Json, type JsonObject, type StoredEnvelope } from '#lib/kernel';

import type { ReadEvent } from './read-event.js';
import type { IntegrityRules } from './rules.js';

/** A person's data key; `destroyed` where it is gone with them, `unknown` where it cannot be had. */
export type DataKey = KeyObject | 'destroyed' | 'unknown';

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

/**
 * Whether a log refers to what its job holds: each id an event of the job, each hash that of the event's data in plain
 * (spec/decisions.md, "ReflectiveLog"). Only what the log refers to is looked into; which keys that takes shows step by
 * step.
 */
export class LogReferences {
  private fault: string | null = null;
  private references: readonly Reference[] = [];
  private readonly counts = { references: 0, erased: 0, unchecked: 0 };

  /** @param events those of the job up to the log, by event_id */
  constructor(
    private readonly log: ReadEvent,
    private readonly events: ReadonlyMap<string, ReadEvent>,
    private readonly rules: IntegrityRules,
  ) {}

  /** kids of the keys that the log opens with. */
  kidsOfLog(): string[] {
    return kidsOf(this.log);
  }

  /** Opens the log, and answers the kids of the keys that what it refers to opens with. */
  open(keys: ReadonlyMap<string, DataKey>): string[] {
    const { log, events, rules, counts } = this;
    const { ids, hashed } = rules.jobs;
    const { envelope } = log;
    const lost = ids.flatMap((name) => listed<string>(envelope.data[name])).find((id) => !events.has(id));
    if (lost !== undefined) this.fault = notHeld(lost);
    if (this.fault !== null) return [];
    const plain = plainData(envelope, rules, keys);
    if (plain === 'unreadable') this.fault = 'what it refers to does not open with its data key';
    else if (plain === 'erased' || plain === 'unchecked') {
      counts.references++;
      counts[plain]++;
    } else this.references = hashed.flatMap((name) => listed<Reference>(plain[name]));
    return this.references.flatMap(({ event_id }) => kidsOf(events.get(event_id)));
  }

  /** What is found of a log that was opened. */
  check(keys: ReadonlyMap<string, DataKey>): ReferenceFindings {
    const { references, counts } = this;
    for (let i = 0; i < references.length && this.fault === null; i++) this.fault = this.faultOf(references[i]!, keys);
    return { ...counts, fault: this.fault };
  }

  private faultOf({ event_id, hash }: Reference, keys: ReadonlyMap<string, DataKey>): string | null {
    const event = this.events.get(event_id);
    if (!event) return notHeld(event_id);
    const said = plainData(event.envelope, this.rules, keys);
    this.counts.references++;
    if (said === 'unreadable') return `event ${event_id} does not open with its data key`;
    if (said === 'erased' || said === 'unchecked') this.counts[said]++;
    else if (sha256Hex(canonicalize(said)) !== hash) return `event ${event_id} is not what it refers to`;
    return null;
  }
}

/** kids of the personal fields of an event. */
function kidsOf(event: ReadEvent | undefined): string[] {
  const kids: string[] = [];
  if (event) for (const value of Object.values(event.envelope.data)) if (isEncrypted(value)) kids.push(value.$enc.kid);
  return kids;
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
  for (const name of Object.keys(data)) {
    const value = data[name]!;
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
