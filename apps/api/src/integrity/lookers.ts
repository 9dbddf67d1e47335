import {
  type ArtifactStore,
  type EventLog,
  IntegrityError,
  START,
  type SubjectKeyStore,
  UnknownSubjectKeyError,
} from '#lib/event-store';
import { actionRequestStream, type Snapshots, snapshotStream } from '#lib/governance';
import type { ArtifactRef, Lookers } from '#lib/integrity';
import { identified, jobStream, loadJob, logFault } from '#lib/jobs';

const PAGE = 4096;

/** What a walk asks of the domains: snapshots, jobs whose events lie far apart, artifacts that may be gone. */
export function lookersOn(
  log: EventLog,
  snapshots: Snapshots,
  artifacts: ArtifactStore,
  keys: SubjectKeyStore,
): Lookers {
  return {
    artifacts,
    snapshotPrefix: snapshotStream(''),
    mayBeGone: (ref) => (ref.type === 'ACTION_REQUESTED' ? heldIsGone(keys, ref) : wasPurged(log, ref)),
    snapshotFault: (id) =>
      reasonOf(async () => ((await snapshots.loadFresh(id)) === null ? 'it is not stored' : null), true),
    logFault: (stream) =>
      reasonOf(async () => {
        const job = await loadJob(log, stream.slice(jobStream('').length));
        return job && logFault(identified(job));
      }, false),
  };
}

/** @param isTold whether a broken chain or signature is an answer: of a job the walk itself finds it */
async function reasonOf(look: () => Promise<string | null>, isTold: boolean): Promise<string | null> {
  try {
    return await look();
  } catch (error) {
    // Of words whose key cannot be had nothing can be said; the key store says so where they are read.
    if (error instanceof UnknownSubjectKeyError) return null;
    if (!(error instanceof IntegrityError)) throw error;
    return isTold ? error.reason : null;
  }
}

/** A held value ends with its key, by a decision or with its owner (spec/privacy.md, "What happens"). */
async function heldIsGone(keys: SubjectKeyStore, { stream }: ArtifactRef): Promise<boolean> {
  const held = await keys.listFor(`held-${stream.slice(actionRequestStream('').length)}`);
  return held.every(({ state }) => state === 'destroyed');
}

/** Evidence goes with the person that it was of: the erasure's manifest names it. */
async function wasPurged({ store, codec }: EventLog, { name }: ArtifactRef): Promise<boolean> {
  for (let after = START; ;) {
    const page = await store.readAll({ after, limit: PAGE, types: ['SUBJECT_ERASED'] });
    for (const recorded of page.events) {
      if (!recorded.text.includes(name)) continue;
      const manifest = codec.signedAlone(recorded)?.data['deletion_manifest'] as
        { readonly forensic?: readonly { readonly evidence_ref: string; readonly fate: string }[] } | undefined;
      if (manifest?.forensic?.some(({ evidence_ref, fate }) => evidence_ref === name && fate === 'purged')) return true;
    }
    if (page.atHead) return false;
    after = page.scannedTo;
  }
}
