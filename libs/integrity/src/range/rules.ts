import type { EventDefinition } from '#lib/kernel';

/**
 * What the walk must know of the domains whose events it reads, as plain data: it runs in threads that load none of
 * them.
 */
export interface IntegrityRules {
  /** Whether every position of the store is that of an event; then a missing one shows. */
  readonly dense: boolean;
  /** Whether leaves of the Merkle log are computed again; in a dense store only, where a position is a leaf's. */
  readonly leaves: boolean;
  /** Types with a field that names the hash of the event before. */
  readonly sealFields: Readonly<Record<string, string>>;
  /** Types whose personal fields are stored as one encrypted member. */
  readonly together: readonly string[];
  /** The newest version that this release writes of each type. */
  readonly versions: Readonly<Record<string, number>>;
  /** Positions after which a key signs no more, by kid. */
  readonly retired: Readonly<Record<string, number>>;
  readonly jobs: JobRules;
  readonly snapshots: SnapshotRules;
  /** Members of an event's data that name an artifact, each a path. */
  readonly artifacts: Readonly<Record<string, readonly string[]>>;
}

export interface JobRules {
  /** What the names of jobs' streams begin with. */
  readonly prefix: string;
  readonly sealed: string;
  /** The event in which the log refers to other events of its job. */
  readonly log: string;
  /** Members of it that list event ids. */
  readonly ids: readonly string[];
  /** Members of it that list {event_id, hash of the event's data in plain}. */
  readonly hashed: readonly string[];
}

export interface SnapshotRules {
  readonly prefix: string;
  /** Type of the first event of such a stream. */
  readonly created: string;
  /**
   * Types of a flag that may follow a snapshot: the first of them is chained to the bytes as they were found, which a
   * restored snapshot no longer has.
   */
  readonly flags: readonly string[];
}

/** The parts of the rules that follow from the event definitions. */
export function definitionRules(
  definitions: readonly EventDefinition[],
): Pick<IntegrityRules, 'sealFields' | 'together' | 'versions'> {
  const sealed = definitions.flatMap(({ type, chainHashField }) => (chainHashField ? [[type, chainHashField]] : []));
  return {
    sealFields: Object.fromEntries(sealed) as Record<string, string>,
    versions: Object.fromEntries(definitions.map(({ type, version }) => [type, version])),
    together: definitions.filter(({ personalTogether }) => personalTogether).map(({ type }) => type),
  };
}
