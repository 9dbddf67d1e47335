import { type EventLog, nextSlice, type RecordedEvent, sliceIsOver, START } from '#lib/event-store';
import { type EventRegistry, type JsonObject, sha256Hex } from '#lib/kernel';

import type { ErasedEntry } from './domain/manifest.js';

/** What the log holds of a person. */
export interface Footprint {
  /** Every event with personal fields of the person, in log order. */
  readonly entries: readonly ErasedEntry[];
  /** Keys of memory under which something of the person was ever stored. */
  readonly keys: readonly string[];
  /** Jobs that the person had. */
  readonly jobs: readonly string[];
  /** Forensic evidence of the person, or of those jobs. */
  readonly evidence: readonly string[];
  /** The sem_delete of each key that was deleted for a request, by its dsr_id. */
  readonly deleted: readonly { readonly dsr_id: string; readonly key: string; readonly event_id: string }[];
}

const PAGE = 1000;

/**
 * Looks through the whole log for what it holds of a person: a read model could lag behind, and this must miss nothing.
 * Costs one pass; it is done for a request, which is rare.
 * @param subject normal form
 * @throws what the store throws
 */
export async function footprintOf(log: EventLog, registry: EventRegistry, subject: string): Promise<Footprint> {
  const definitions = registry.all().filter(isOfInterest);
  const types = definitions.map(({ type }) => type);
  const found = new Finder(log, registry, subject);
  for (let after = START; ;) {
    const page = await log.store.readAll({ after, limit: PAGE, types });
    for (const recorded of page.events) {
      if (sliceIsOver()) await nextSlice();
      found.look(recorded);
    }
    if (page.atHead) return found.footprint();
    after = page.scannedTo;
  }
}

/** Personal fields stand in some; others name evidence or tell of a deletion. */
function isOfInterest({
  type,
  personal,
  plain,
}: {
  type: string;
  personal?: readonly string[];
  plain: readonly string[];
}) {
  return (personal?.length ?? 0) > 0 || plain.includes('evidence_ref') || type === 'sem_delete';
}

/** Evidence as an event names it, and of whom it may be. */
interface Named {
  readonly ref: string;
  readonly userId: unknown;
  readonly jobId: string | undefined;
}

class Finder {
  private readonly entries: ErasedEntry[] = [];
  private readonly keys = new Set<string>();
  private readonly jobs = new Set<string>();
  private readonly evidence: Named[] = [];
  private readonly deleted: { dsr_id: string; key: string; event_id: string }[] = [];

  constructor(
    private readonly log: EventLog,
    private readonly registry: EventRegistry,
    private readonly subject: string,
  ) {}

  look(recorded: RecordedEvent): void {
    // Most events are others': that their text does not name the person costs less to see than what they say.
    const ofJobs = recorded.text.includes('"evidence_ref"');
    if (!ofJobs && !recorded.text.includes(this.subject)) return;
    // By what nobody signed, memory, evidence and jobs of another person would go with this one's.
    const event = this.log.codec.signedAlone(recorded);
    if (!event) return;
    const { data, metadata } = event;
    const { type, stream, revision, id: event_id, text } = recorded;
    if (type === 'sem_delete') this.lookAtDeletion(data, event_id);
    if (ofJobs) this.lookAtEvidence(data, metadata.job_id ?? (data['job_id'] as string | undefined));
    const definition = this.registry.get(type);
    const isOwn = (definition?.personal?.length ?? 0) > 0 && definition?.subject?.(data) === this.subject;
    if (!isOwn) return;
    this.entries.push({ stream, revision, type, event_id, hash: sha256Hex(text) });
    if (type === 'SEM_PUT') this.keys.add(data['key'] as string);
    if (type === 'JOB_ACCEPTED') this.jobs.add(data['job_id'] as string);
  }

  private lookAtDeletion(data: JsonObject, event_id: string): void {
    const manifest = data['deletion_manifest'] as JsonObject | undefined;
    if (manifest) this.deleted.push({ dsr_id: manifest['dsr_id'] as string, key: data['key'] as string, event_id });
  }

  private lookAtEvidence(data: JsonObject, jobId: string | undefined): void {
    const ref = data['evidence_ref'];
    if (typeof ref === 'string') this.evidence.push({ ref, userId: data['user_id'], jobId });
  }

  footprint(): Footprint {
    const { entries, deleted, jobs } = this;
    // Only now: evidence of a job may stand before the job's own first event.
    const own = this.evidence.filter(({ userId, jobId }) => userId === this.subject || jobs.has(jobId ?? ''));
    const evidence = [...new Set(own.map(({ ref }) => ref))];
    return { entries, keys: [...this.keys].sort(), jobs: [...jobs], evidence, deleted };
  }
}
