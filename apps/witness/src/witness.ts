import { createHash } from 'node:crypto';

import { answerText, parseQuestion, parseReport } from '#lib/proof';
import {
  type Checkpoint,
  EMPTY_ROOT,
  type Note,
  NoteError,
  parseCheckpoint,
  parseNote,
  parseVkey,
  signatureLine,
  verifyConsistency,
  verifyNote,
} from '#lib/verifier';

import { type AddCheckpoint, parseAddCheckpoint } from './add-checkpoint.js';
import type { WitnessKey } from './witness-key.js';
import type { WitnessStore } from './witness-store.js';

export interface Answer {
  readonly status: 200 | 400 | 403 | 404 | 409 | 422;
  readonly type: 'text/plain; charset=utf-8' | 'text/x.tlog.size';
  readonly text: string;
}

/** Characters of reports in one answer, which is a note and limited as one. */
const MAX_ANSWER = 60_000;

/**
 * What a witness says (c2sp.org/tlog-witness): it cosigns a checkpoint only where it follows from the one it cosigned
 * before, and so never two histories of one log. Each answer is given in one turn, with what it promises on disk.
 */
export class Witness {
  constructor(
    private readonly store: WitnessStore,
    private readonly key: WitnessKey,
    /** Milliseconds since the Unix epoch. */
    private readonly now: () => number,
  ) {}

  /** POST /add-checkpoint. */
  addCheckpoint(body: string): Answer {
    const asked = parseAddCheckpoint(body);
    const note = asked && noteIn(asked.note);
    const checkpoint = note && parseCheckpoint(note.text);
    if (!asked || !note || !checkpoint) return said(400, 'the body is no "old" line, proof, empty line and checkpoint');
    const refusal = this.refusalOf(note, checkpoint.origin) ?? this.conflictOf(asked, checkpoint);
    if (refusal) return refusal;
    return this.cosign(note, checkpoint);
  }

  /** GET /{hash}/checkpoint; the hash is the SHA-256 of the origin in lower-case hex. */
  checkpoint(hash: string): Answer {
    const seen = this.store.seenByHash(hash);
    return seen ? { status: 200, type: 'text/plain; charset=utf-8', text: seen.note } : said(404, 'no checkpoint');
  }

  /**
   * POST /erased-keys: a note of the log with marks of data keys which were destroyed. Restoring a backup would bring them
   * back, and who restores asks here for them. What holds nothing new is not kept again.
   */
  addErasedKeys(body: string): Answer {
    const note = noteIn(body);
    const report = note && parseReport(note.text);
    if (!note || !report) return said(400, 'the body is no signed list of erased keys');
    const refusal = this.refusalOf(note, report.origin);
    if (refusal) return refusal;
    this.store.addReport(report.origin, body, report.marks);
    return said(200, `${report.marks.length} keys`);
  }

  /** POST /erased-keys/question: the reports, to the log alone; the answer is cosigned, also where there are none. */
  erasedKeys(body: string): Answer {
    const note = noteIn(body);
    const question = note && parseQuestion(note.text);
    if (!note || !question) return said(400, 'the body is no signed question for erased keys');
    const refusal = this.refusalOf(note, question.origin);
    if (refusal) return refusal;
    const { reports, more } = this.store.reports(question.origin, question.after, MAX_ANSWER);
    const text = answerText({ ...question, reports, more });
    const signed = `${text}\n${this.key.cosign(text, Math.floor(this.now() / 1000))}`;
    return { status: 200, type: 'text/plain; charset=utf-8', text: signed };
  }

  /** 404 of an unknown log, 403 of what no trusted key of it has signed. */
  private refusalOf(note: Note, origin: string): Answer | null {
    const keys = this.store.keysOf(origin).map(parseVkey);
    if (keys.length === 0) return said(404, 'this log is not known here');
    try {
      return verifyNote(note, keys).length > 0 ? null : said(403, 'no trusted key of this log has signed');
    } catch (error) {
      if (error instanceof NoteError) return said(403, error.message);
      throw error;
    }
  }

  private conflictOf({ oldSize, proof }: AddCheckpoint, { origin, size, root }: Checkpoint): Answer | null {
    if (oldSize > size) return said(400, 'the old size is beyond the checkpoint');
    const seen = this.store.seen(origin);
    const known = seen?.size ?? 0;
    if (oldSize !== known) return { status: 409, type: 'text/x.tlog.size', text: `${known}\n` };
    const before = seen ? Buffer.from(seen.root, 'hex') : EMPTY_ROOT;
    const follows = verifyConsistency(known, size, before, root, proof);
    return follows ? null : said(422, 'the checkpoint does not follow from the one cosigned before');
  }

  private cosign({ text, signatures }: Note, { origin, size, root }: Checkpoint): Answer {
    const line = this.key.cosign(text, Math.floor(this.now() / 1000));
    const trusted = this.store.keysOf(origin).map(parseVkey);
    const own = signatures.filter(({ name, keyId }) => trusted.some((key) => key.name === name && key.keyId === keyId));
    const lines = own.map(({ name, keyId, bytes }) => signatureLine(name, keyId, bytes));
    const note = `${text}\n${lines.join('')}${line}`;
    this.store.remember(origin, originHash(origin), { size, root: root.toString('hex'), note });
    return { status: 200, type: 'text/plain; charset=utf-8', text: line };
  }
}

function noteIn(text: string): Note | null {
  try {
    return parseNote(text);
  } catch (error) {
    if (error instanceof NoteError) return null;
    throw error;
  }
}

export function originHash(origin: string): string {
  return createHash('sha256').update(origin).digest('hex');
}

function said(status: Answer['status'], text: string): Answer {
  return { status, type: 'text/plain; charset=utf-8', text: `${text}\n` };
}
