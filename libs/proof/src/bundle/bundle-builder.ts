import { setTimeout as pause } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';

import { comparePositions, type EventLog, type RecordedEvent } from '#lib/event-store';
import { MaceError } from '#lib/kernel';
import {
  type Bundle,
  BUNDLE_FORMAT,
  ERASURE_FORMAT,
  type BundleRecord,
  manifestText,
  MAX_DOCUMENT_BYTES,
  MAX_FILE_BYTES,
  NoteError,
  parseNote,
  partsOf,
  textOf,
  type VerifierKey,
  verifyBundle,
  verifyNote,
} from '#lib/verifier';

import { type CheckpointRecord, COVERED_WITHIN_MS, type ProofLog } from '../proof-log.js';
import { JobRecordReader, type JobRecords, type LaterLimits } from './job-records.js';
import { SharedNodes } from './shared-nodes.js';

/** What an audit replay found, as far as a bundle says it. */
export interface ReplayWord {
  readonly verdict: string | null;
  readonly error_code: string | null;
  readonly steps: Bundle['replay']['steps'];
}

/** The keys that a bundle names, public parts, and the one that signs its manifest. */
export interface BundleKeys {
  signers(): Bundle['keys']['signers'];
  events(kids: ReadonlySet<string>): Bundle['keys']['events'];
  /** A signed note (C2SP) of the text. */
  sign(text: string): string;
}

export interface BundleBuilderOptions {
  readonly log: EventLog;
  readonly proofs: ProofLog;
  readonly keys: BundleKeys;
  /** Each of these must have cosigned the checkpoint. */
  readonly witnesses: readonly VerifierKey[];
  /** Replays a job in audit mode. */
  readonly replay: (jobId: string) => Promise<ReplayWord>;
  /** Which release makes the bundle. */
  readonly release: string;
  /** Milliseconds since the Unix epoch. */
  readonly now: () => number;
  /** How long a bundle waits for a checkpoint and its cosignatures, ms; default half a minute. */
  readonly timeoutMs?: number;
  /** How much of what was said beside the job's log it holds. */
  readonly later?: LaterLimits;
  /** No larger document is given; default: none that the verifier would not take, bytes. */
  readonly documentBytes?: number;
}

const POLL_MS = 50;

/** Makes the bundle of a job: everything that a third party needs to check it without us (spec/replay.md, "Integrity"). */
export class BundleBuilder {
  private readonly reader: JobRecordReader;

  constructor(private readonly options: BundleBuilderOptions) {
    this.reader = new JobRecordReader(options.log, options.proofs, options.later);
  }

  /**
   * The bundle, once a checkpoint covers the job and every witness has cosigned it. It was verified before it is given.
   * @throws MaceError NOT_FOUND, CONFLICT, MISSING_SNAPSHOT, INTEGRITY_FAILURE; INVALID_INPUT where it would be larger than
   * what the verifier takes; DATA_UNAVAILABLE where a checkpoint or a cosignature is not to be had; IntegrityError
   */
  async build(jobId: string): Promise<Bundle> {
    const found = await this.reader.read(jobId);
    const checkpoint = await this.checkpointOver(found.records);
    const replay = await this.options.replay(jobId);
    const text = textOf(partsOf(this.sealed(await this.body(jobId, found, checkpoint, replay))));
    const { verdict, difference, reason } = verifyBundle(this.file(jobId, text));
    // Read back, its members stand in the order of the document, however it is written next.
    if (verdict === 'verified' || difference?.check === 'replay') return JSON.parse(text) as Bundle;
    const what = difference ? `${difference.check}, at ${difference.at}` : String(reason);
    throw new MaceError('INTEGRITY_FAILURE', `the record of job ${jobId} does not hold: ${what}`);
  }

  /** As it can be saved: a document that is no longer a file by itself is one when it is packed. */
  private file(jobId: string, text: string): Buffer {
    const { documentBytes = MAX_DOCUMENT_BYTES } = this.options;
    const document = Buffer.from(text);
    const file = document.length > MAX_FILE_BYTES ? gzipSync(document) : document;
    if (document.length <= documentBytes && file.length <= MAX_FILE_BYTES) return file;
    throw new MaceError(
      'INVALID_INPUT',
      `the bundle of job ${jobId} would have ${document.length} bytes, packed ${gzipSync(document).length}; one has at most ${documentBytes}, packed ${MAX_FILE_BYTES}`,
    );
  }

  private async body(
    job_id: string,
    { records, pinned, saidLater, holdsErasure, kids }: JobRecords,
    checkpoint: CheckpointRecord,
    { verdict, error_code, steps }: ReplayWord,
  ): Promise<Omit<Bundle, 'manifest'>> {
    const { keys, release, now } = this.options;
    const nodes = new SharedNodes();
    const proven = await Promise.all(records.map((record) => this.proven(record, checkpoint, nodes)));
    return {
      about: {
        checkpointed_at: checkpoint.made_at,
        job_id,
        made_at: new Date(now()).toISOString(),
        said_later: saidLater,
        versions: {
          bundled_by: release,
          detector: pinned.detector_version,
          engine: pinned.engine_version,
          policies: pinned.snapshots,
          system: pinned.system_version,
        },
      },
      checkpoint: checkpoint.note,
      format: holdsErasure ? ERASURE_FORMAT : BUNDLE_FORMAT,
      keys: { events: keys.events(kids), signers: keys.signers() },
      nodes: nodes.all,
      records: proven.sort((a, b) => a.leaf_index - b.leaf_index),
      replay: { error_code, steps, verdict },
    };
  }

  private sealed(body: Omit<Bundle, 'manifest'>): Bundle {
    return { ...body, manifest: this.options.keys.sign(manifestText(body.about.job_id, partsOf(body))) };
  }

  private async proven(
    { id, stream, revision, text }: RecordedEvent,
    checkpoint: CheckpointRecord,
    nodes: SharedNodes,
  ): Promise<BundleRecord> {
    const proof = await this.options.proofs.proofOf(id, checkpoint);
    if (!proof) throw new MaceError('INTEGRITY_FAILURE', `event ${id} of ${stream} is not in the Merkle log`);
    return {
      leaf_index: proof.leaf_index,
      path: proof.inclusion.map((hash) => nodes.place(hash)),
      revision,
      stream,
      text,
    };
  }

  private async checkpointOver(records: readonly RecordedEvent[]): Promise<CheckpointRecord> {
    const { proofs, witnesses, timeoutMs = COVERED_WITHIN_MS } = this.options;
    const { position } = records.reduce((last, one) =>
      comparePositions(one.position, last.position) > 0 ? one : last,
    );
    const until = performance.now() + timeoutMs;
    let checkpoint = await proofs.covering(position, timeoutMs).catch((error: unknown) => {
      if (!(error instanceof MaceError) || error.code !== 'WAIT_TIMEOUT') throw error;
      throw new MaceError('DATA_UNAVAILABLE', `no bundle yet: ${error.developerMessage}`);
    });
    for (;;) {
      const missing = witnesses.find((witness) => !hasSigned(checkpoint.note, witness));
      if (!missing) return checkpoint;
      if (performance.now() >= until) {
        throw new MaceError(
          'DATA_UNAVAILABLE',
          `no bundle yet: witness ${missing.name} has not cosigned the checkpoint`,
        );
      }
      await pause(POLL_MS);
      checkpoint = proofs.latest() ?? checkpoint;
    }
  }
}

function hasSigned(note: string, witness: VerifierKey): boolean {
  try {
    return verifyNote(parseNote(note), [witness]).length > 0;
  } catch (error) {
    if (error instanceof NoteError) return false;
    throw error;
  }
}
