import {
  canonicalize,
  sha256Hex,
  snapshotId,
  type DomainEvent,
  type EventDefinition,
  type JsonObject,
} from '#lib/kernel';

/** The kinds of snapshot that a job pins before it does anything (seed 002 section 3). */
export const SNAPSHOT_KINDS = ['router', 'brainstate', 'selfrep', 'governance', 'privacy', 'safety'] as const;
export type SnapshotKind = (typeof SNAPSHOT_KINDS)[number];
/** Policies that are kept as snapshots too, though no job pins them. */
export const POLICY_ONLY_KINDS = ['agents_allowed_writes', 'negotiation'] as const;
export type PolicyKind = SnapshotKind | (typeof POLICY_ONLY_KINDS)[number];

export const SNAPSHOT_SCHEMA_VERSION = 1;
const GENERATOR = 'sha256(config_hash:schema_version:seed_namespace)';

/** A signed, content-addressed body of constants or state; never changed, only replaced by another. */
export interface Snapshot {
  readonly snapshot_id: string;
  readonly kind: PolicyKind;
  readonly schema_version: number;
  readonly config_hash: string;
  /** Which formula and namespace made the id, so that a replay can check it. */
  readonly generator: string;
  readonly seed_namespace: string;
  readonly body: JsonObject;
  readonly kid: string;
  readonly signature: string;
}

export const snapshotEvents: readonly EventDefinition[] = [
  {
    type: 'SNAPSHOT_CREATED',
    version: 1,
    plain: [
      'snapshot_id',
      'kind',
      'schema_version',
      'config_hash',
      'generator',
      'seed_namespace',
      'body',
      'kid',
      'signature',
    ],
  },
];

/** Signs the canonical text of a snapshot; given by whoever holds the keys. */
export type SnapshotSigner = (text: string) => { readonly kid: string; readonly signature: string };

/** The snapshot of a body; equal bodies of one kind make the same id. */
export function makeSnapshot(kind: PolicyKind, body: JsonObject, sign: SnapshotSigner): Snapshot {
  const config_hash = sha256Hex(canonicalize(body));
  const unsigned = {
    snapshot_id: snapshotId(config_hash, SNAPSHOT_SCHEMA_VERSION, kind),
    kind,
    schema_version: SNAPSHOT_SCHEMA_VERSION,
    config_hash,
    generator: GENERATOR,
    seed_namespace: kind,
    body,
  };
  return { ...unsigned, ...sign(canonicalize(unsigned)) };
}

/** What is wrong with a snapshot as read, or null: its hash, its id, then its signature. */
export function snapshotFault(
  snapshot: Snapshot,
  verify: (text: string, kid: string, signature: string) => boolean,
): string | null {
  const { kid, signature, ...unsigned } = snapshot;
  if (sha256Hex(canonicalize(snapshot.body)) !== snapshot.config_hash) return 'its body is not what its hash names';
  const id = snapshotId(snapshot.config_hash, snapshot.schema_version, snapshot.seed_namespace);
  if (id !== snapshot.snapshot_id) return 'its id does not follow from its body';
  return verify(canonicalize(unsigned), kid, signature) ? null : 'its signature does not verify';
}

export function snapshotCreated(snapshot: Snapshot): DomainEvent {
  return { type: 'SNAPSHOT_CREATED', data: { ...snapshot } };
}

export function snapshotStream(id: string): string {
  return `snapshot-${id}`;
}
