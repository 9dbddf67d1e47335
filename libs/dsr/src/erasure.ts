import {
  type ArtifactStore,
  type EventLog,
  kidOf,
  IntegrityError,
  START,
  StorageFullError,
  StoreUnavailableError,
  type SubjectKeyStore,
  UNWRAPPED_KEY_MS,
} from '#lib/event-store';
import { canonicalize, type EventRegistry, reactionSeed, type Provenance, sha256Hex } from '#lib/kernel';
import { decideDelete, type KeyDeletion, SEM_FOLD, semStream } from '#lib/memory';
import { OwedAnswerError, type ProjectedEvent, type Reaction } from '#lib/projections';

import {
  decideApproval,
  decideCertificate,
  decideDestruction,
  decideErasure,
  type Dsr,
  statusOf,
} from './domain/dsr.js';
import type { SubjectErased } from './domain/dsr.events.js';
import { countByType, type DeletionManifest, entriesText, listedKeys, type PurgedEvidence } from './domain/manifest.js';
import { decideOn, findDsr } from './dsr-streams.js';
import { type Footprint, footprintOf } from './footprint.js';
import { holdsOf, isOfLegalHold } from './legal-holds.js';
import type { Clock, ErasableEvidence, ErasablePlace, ErasureAlarm, SubjectJobs } from './ports.js';

export interface ErasureOptions {
  readonly log: EventLog;
  readonly registry: EventRegistry;
  readonly keys: SubjectKeyStore;
  readonly artifacts: Pick<ArtifactStore, 'put'>;
  readonly evidence: ErasableEvidence;
  /** Drops what this process has unwrapped of a person's keys. */
  readonly forget: (subject: string) => void;
  readonly places: readonly ErasablePlace[];
  readonly jobs: SubjectJobs;
  readonly clock: Clock;
  readonly alarm: ErasureAlarm;
}

type ReactedEvent = Pick<ProjectedEvent, 'type' | 'stream' | 'data' | 'metadata'>;

const REACTOR = 'dsr-erasure';
/** What passes by itself is over by then; what is left is of this one person, and holds up nobody else. */
const TRIES = 3;
const SYSTEM = { id: 'system', role: 'system' } as const;

/**
 * Erases a person once a deletion is approved (spec/privacy.md, "Data-subject requests"), a step for each event of the
 * request's stream. Each step may be broken off anywhere and begun again: what it does has the same effect twice, and its
 * event, appended last, is decided on the stream's state. So a crash ends in the same final state.
 */
export class Erasure implements Reaction {
  readonly name = REACTOR;
  readonly types = [
    'DSR_APPROVED',
    'ERASURE_REQUESTED',
    'SUBJECT_KEYS_DESTROYED',
    'SUBJECT_ERASED',
    'LEGAL_HOLD_LIFTED',
  ];

  /** Failed tries in a row, by event; those at their end are owed, and so few. */
  private readonly tries = new Map<string, number>();

  constructor(private readonly options: ErasureOptions) {}

  /** @throws OwedAnswerError where a step of one person fails on and on: an alarm tells of it until it succeeds */
  async react(event: ReactedEvent): Promise<void> {
    const { type, stream } = event;
    const { event_id } = event.metadata;
    const { alarm } = this.options;
    try {
      await this.step(event);
    } catch (error) {
      if (isOfAll(error)) throw error;
      const tries = (this.tries.get(event_id) ?? 0) + 1;
      this.tries.set(event_id, tries);
      if (tries < TRIES) throw error;
      await alarm.raise({ event_id, type, stream });
      throw new OwedAnswerError(error);
    }
    await alarm.end({ event_id, type, stream });
    this.tries.delete(event_id);
  }

  private async step({ type, stream, data, metadata }: ReactedEvent): Promise<void> {
    if (type === 'LEGAL_HOLD_LIFTED') {
      if (isOfLegalHold({ type, stream, data })) await this.eraseReleased(data['evidence_ref'] as string);
      return;
    }
    const found = await findDsr(this.options.log, data['dsr_id'] as string);
    if (found?.dsr.request.kind !== 'delete') return;
    const { dsr } = found;
    const by = provenanceAfter(metadata.event_id, metadata.trace_id);
    if (type === 'DSR_APPROVED' && dsr.approval && !dsr.erasure) return this.begin(dsr, by);
    if (type === 'ERASURE_REQUESTED' && dsr.erasure && !dsr.destruction) return this.destroyKeys(dsr, by);
    if (type === 'SUBJECT_KEYS_DESTROYED' && dsr.destruction && !dsr.certificate) return this.certify(dsr, by);
    if (type === 'SUBJECT_ERASED' && dsr.certificate) return this.finish(dsr, by);
  }

  /** Empties memory, then closes the keys to everybody; only after that is it said that they are. */
  private async begin(dsr: Dsr, by: Provenance): Promise<void> {
    const { log, clock } = this.options;
    const subject = dsr.request.user_id;
    await this.emptyMemory(dsr);
    await this.refuseKeys(subject);
    const kids = await this.kidsLeft(subject);
    await decideOn(log, dsr.request.dsr_id, by, (state) => decideErasure(state, kids, timeOf(clock)));
  }

  private async destroyKeys(dsr: Dsr, by: Provenance): Promise<void> {
    const { log, keys, clock } = this.options;
    const subject = dsr.request.user_id;
    // Also here: the key store may have been restored from before the refusal.
    await this.refuseKeys(subject);
    const left = await this.kidsLeft(subject);
    for (const kid of left) await keys.destroy(kid);
    const kids = [...new Set([...dsr.erasure!.kids, ...left])];
    await decideOn(log, dsr.request.dsr_id, by, (state) => decideDestruction(state, kids, timeOf(clock)));
  }

  /** Waits until no process can hold an unwrapped key, removes every other copy, and says what was removed. */
  private async certify(dsr: Dsr, by: Provenance): Promise<void> {
    const { log, registry, clock } = this.options;
    await clock.waitUntil(Date.parse(dsr.destruction!.destroyed_at) + UNWRAPPED_KEY_MS);
    // What others were still told was stored, in the time for which they might use a key.
    await this.emptyMemory(dsr);
    const footprint = await footprintOf(log, registry, dsr.request.user_id);
    const manifest = await this.purge(dsr, footprint);
    await decideOn(log, dsr.request.dsr_id, by, (state) => decideCertificate(state, manifest, timeOf(clock)));
  }

  /** Who returns gets a new key; what was under way of who left ends. */
  private async finish(dsr: Dsr, by: Provenance): Promise<void> {
    const { user_id } = dsr.request;
    // Where another request goes on, its end is what readmits.
    if (!(await this.goesOnWithOthers(dsr, by))) await this.options.keys.readmit(user_id);
    await this.options.jobs.close(dsr.certificate!.deletion_manifest.jobs_closed);
  }

  /**
   * Whether other deletions of the person are carried out now. Those that were filed before this one ended, and wait for
   * somebody's approval, ask for what was approved: they are carried out too, unless the person has returned since.
   */
  private async goesOnWithOthers({ request, certificate }: Dsr, by: Provenance): Promise<boolean> {
    const { log, clock } = this.options;
    const isGone = (await this.kidsLeft(request.user_id)).length === 0;
    let goesOn = false;
    for (const other of await this.othersOf(request)) {
      const { dsr_id, requested_at } = other.request;
      let status = statusOf(other);
      if (status === 'waiting_for_approval' && isGone && requested_at < certificate!.erased_at) {
        const jobSeed = reactionSeed(`${REACTOR}-${dsr_id}`, by.causationId!);
        const approval = { dsr_id, approved_by: SYSTEM.id, approved_at: timeOf(clock) };
        await decideOn(log, dsr_id, { ...by, jobSeed }, (state) => decideApproval(state, approval, jobSeed));
        status = 'approved';
      }
      goesOn ||= status === 'approved' || status === 'erasing';
    }
    return goesOn;
  }

  private async othersOf({ user_id, dsr_id }: Dsr['request']): Promise<readonly Dsr[]> {
    const { log } = this.options;
    const others: Dsr[] = [];
    for (let after = START; ;) {
      const page = await log.store.readAll({ after, limit: 1000, types: ['DSR_DELETE_REQUEST'] });
      for (const recorded of page.events) {
        const data = log.codec.signedAlone(recorded)?.data;
        if (data?.['user_id'] !== user_id || data['dsr_id'] === dsr_id) continue;
        const found = await findDsr(log, data['dsr_id'] as string);
        if (found) others.push(found.dsr);
      }
      if (page.atHead) return others;
      after = page.scannedTo;
    }
  }

  /** Deletes evidence that erasures left because of a hold, once none stands on it. */
  private async eraseReleased(evidenceRef: string): Promise<void> {
    const { log, evidence } = this.options;
    if ((await holdsOf(log)).has(evidenceRef)) return;
    for (let after = START; ;) {
      const page = await log.store.readAll({ after, limit: 1000, types: ['SUBJECT_ERASED'] });
      for (const recorded of page.events) {
        const certificate = log.codec.signedAlone(recorded)?.data as SubjectErased | undefined;
        const kept = certificate?.deletion_manifest.forensic.some((one) => one.evidence_ref === evidenceRef);
        if (!certificate || !kept) continue;
        // It may have been placed again while the log was read.
        if ((await holdsOf(log)).has(evidenceRef)) return;
        await evidence.erase(evidenceRef, certificate.dsr_id);
      }
      if (page.atHead) return;
      after = page.scannedTo;
    }
  }

  private async refuseKeys(subject: string): Promise<void> {
    await this.options.keys.refuse(subject);
    this.options.forget(subject);
    await this.options.jobs.stop(subject);
  }

  private async kidsLeft(subject: string): Promise<string[]> {
    const records = await this.options.keys.listFor(subject);
    return records.filter(({ state }) => state !== 'destroyed').map(kidOf);
  }

  private async emptyMemory(dsr: Dsr): Promise<void> {
    const { log, registry } = this.options;
    const { keys } = await footprintOf(log, registry, dsr.request.user_id);
    for (const key of keys) await this.deleteKey(dsr, key);
  }

  private async deleteKey({ request: { dsr_id }, approval }: Dsr, key: string): Promise<void> {
    const { log, clock } = this.options;
    const stream = semStream(key);
    const { state, head } = await log.fold(stream, SEM_FOLD);
    if (!state.current || state.current.deleted) return;
    const manifest = await this.deletionOf(stream, dsr_id);
    // A key that is written again and deleted again is another deletion.
    const place = sha256Hex(`${key}:${head.version}`).slice(0, 32);
    const jobSeed = reactionSeed(`dsr-delete-${place}`, approval!.event_id);
    const provenance = { ...provenanceAfter(approval!.event_id, `trace-${place.slice(0, 16)}`), jobSeed };
    await log.execute({
      stream,
      fold: SEM_FOLD,
      provenance,
      decide: (fresh) => {
        const deletion = decideDelete(fresh, { key, source: 'system', now: clock.now(), manifest });
        return deletion ? [deletion] : [];
      },
    });
  }

  private async deletionOf(stream: string, dsr_id: string): Promise<KeyDeletion> {
    const writes: string[][] = [];
    for (let from = 0; ;) {
      const { events, version } = await this.options.log.store.readStream(stream, { from, limit: 1000 });
      for (const { type, id, text } of events) if (type === 'SEM_PUT') writes.push([id, sha256Hex(text)]);
      from += events.length;
      if (events.length === 0 || from >= version) break;
    }
    return { dsr_id, writes: writes.length, writes_hash: sha256Hex(canonicalize(writes)) };
  }

  private async purge(dsr: Dsr, footprint: Footprint): Promise<DeletionManifest> {
    const { artifacts, places, jobs } = this.options;
    const { dsr_id, user_id } = dsr.request;
    const { kids } = dsr.destruction!;
    const { entries, deleted } = footprint;
    const ofThis = deleted.filter((one) => one.dsr_id === dsr_id).map(({ key, event_id }) => ({ key, event_id }));
    const text = entriesText(entries);
    const purged = [];
    for (const place of places) purged.push(...(await place.purge(user_id, kids)));
    return {
      dsr_id,
      user_id,
      ...listedKeys(ofThis),
      data_keys: kids,
      events: {
        count: entries.length,
        by_type: countByType(entries),
        hash: sha256Hex(text),
        list: await artifacts.put(Buffer.from(text), 'evidence'),
      },
      forensic: await this.purgeEvidence(dsr_id, footprint.evidence),
      places: purged,
      jobs_closed: await jobs.unfinished(footprint.jobs),
    };
  }

  private async purgeEvidence(dsrId: string, refs: readonly string[]): Promise<PurgedEvidence[]> {
    const fates: PurgedEvidence[] = [];
    for (const evidence_ref of refs) {
      // Looked at before each: one may be placed while the others are erased.
      const legal_hold = (await holdsOf(this.options.log)).get(evidence_ref) ?? null;
      if (legal_hold === null) await this.options.evidence.erase(evidence_ref, dsrId);
      fates.push({ evidence_ref, fate: legal_hold === null ? 'purged' : 'kept', legal_hold });
    }
    return fates;
  }
}

/** What keeps every erasure from going on, or is told by its own way; the stop of the process too. */
function isOfAll(error: unknown): boolean {
  if (error instanceof StoreUnavailableError || error instanceof StorageFullError || error instanceof IntegrityError)
    return true;
  return error instanceof Error && ['AbortError', 'ReadStoreUnavailableError'].includes(error.name);
}

function provenanceAfter(eventId: string, traceId: string): Provenance {
  return {
    jobSeed: reactionSeed(REACTOR, eventId),
    sequenceIndex: 0,
    actor: SYSTEM,
    traceId,
    causationId: eventId,
  };
}

function timeOf(clock: Clock): string {
  return new Date(clock.now()).toISOString();
}
