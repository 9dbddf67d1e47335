import type { JsonObject } from './canonical-json.js';
import type { Form } from './event-forms.js';

/** Turns the data of version v into that of v + 1; pure, and never the reason to rewrite what is stored. */
export type Upcaster = (data: JsonObject) => JsonObject;

/** The member of an event's data that holds its personal fields where they are stored together. */
export const PERSONAL_MEMBER = 'personal';

/**
 * What the codec must know of an event type. Every top-level field of its data is declared, either as plain or as
 * personal; a field declared as neither cannot be stored, so nothing personal slips in unnoticed (spec/privacy.md).
 */
export interface EventDefinition {
  /** UPPER_SNAKE, or exactly the name a seed gives. */
  readonly type: string;
  /** Current schema_version, from 1. */
  readonly version: number;
  readonly plain: readonly string[];
  /** Fields stored encrypted under the subject's data key. */
  readonly personal?: readonly string[];
  /**
   * True where the personal fields are stored as one encrypted object under PERSONAL_MEMBER instead of each under its
   * own name: for events that are read whole or not at all. Who reads the event in plain sees no difference; upcasters
   * and projections see only that one member.
   */
  readonly personalTogether?: boolean;
  /** Normal form of the person the personal fields are about; null where this event's content is nobody's. */
  readonly subject?: (data: JsonObject) => string | null;
  /** A field that the codec fills with the hash of the event before: what a seal attests (JOB_SEALED.last_hash). */
  readonly chainHashField?: string;
  /**
   * Forms of plain fields that readers look into: whoever holds the keys can sign any other, and no reader should meet
   * it. Those of fields that are only shown need not be named.
   */
  readonly forms?: Readonly<Record<string, Form>>;
  /** `upcasters[v]` leads from version v to v + 1; one for each version below the current. */
  readonly upcasters?: Readonly<Record<number, Upcaster>>;
}

/** All event types a process can write or read. */
export class EventRegistry {
  private readonly definitions = new Map<string, EventDefinition>();

  constructor(definitions: Iterable<EventDefinition>) {
    for (const definition of definitions) this.add(definition);
  }

  private add(definition: EventDefinition): void {
    if (this.definitions.has(definition.type)) throw new Error(`event type ${definition.type} is defined twice`);
    if (!Number.isInteger(definition.version) || definition.version < 1) {
      throw new Error(`event type ${definition.type}: version ${definition.version} is no version`);
    }
    const both = definition.personal?.find((field) => definition.plain.includes(field));
    if (both !== undefined) throw new Error(`event type ${definition.type}: ${both} is both plain and personal`);
    if (definition.personalTogether && definition.plain.includes(PERSONAL_MEMBER)) {
      throw new Error(`event type ${definition.type}: ${PERSONAL_MEMBER} is the name of what is stored together`);
    }
    const undeclared = Object.keys(definition.forms ?? {}).find((field) => !definition.plain.includes(field));
    if (undeclared !== undefined)
      throw new Error(`event type ${definition.type}: ${undeclared} has a form, and is no plain field`);
    for (let from = 1; from < definition.version; from++) {
      if (!definition.upcasters?.[from]) {
        throw new Error(`event type ${definition.type}: no upcaster from version ${from} to ${from + 1}`);
      }
    }
    if ((definition.personal?.length ?? 0) > 0 && !definition.subject) {
      throw new Error(`event type ${definition.type} has personal fields but names no subject`);
    }
    this.definitions.set(definition.type, definition);
  }

  get(type: string): EventDefinition | undefined {
    return this.definitions.get(type);
  }

  all(): readonly EventDefinition[] {
    return [...this.definitions.values()];
  }

  /**
   * Data of a stored version as the current version would have written it.
   * @throws NewerReleaseError for a type or version that this release does not know
   */
  upcast(type: string, version: number, data: JsonObject): JsonObject {
    const definition = this.definitions.get(type);
    if (!definition)
      throw new NewerReleaseError(`event type ${type} (version ${version}) is not known to this release`);
    if (version === definition.version) return data;
    if (!Number.isInteger(version) || version < 1 || version > definition.version)
      throw new NewerReleaseError(
        `event type ${type} has version ${version}; this release reads up to ${definition.version}`,
      );
    let current = data;
    for (let from = version; from < definition.version; from++) current = definition.upcasters![from]!(current);
    return current;
  }
}

/** What a newer release wrote and this one cannot read: said clearly instead of guessed at, and never taken for damage. */
export class NewerReleaseError extends Error {
  /** @param what this release does not know */
  constructor(readonly what: string) {
    super(`${what}; a newer release wrote it`);
    this.name = 'NewerReleaseError';
  }
}
