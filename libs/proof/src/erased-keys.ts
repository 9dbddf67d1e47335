import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';

import { sha256Hex } from '#lib/kernel';

import { readText, replaceFile } from './durable-file.js';
import { DESTROYED, PURGED, type Said } from './erasures/erasure-rule.js';
import { LogGuardError } from './start-guard.js';

/** The file: this, the origin, and a line for each thing that went; a mark where only the witness's word is known. */
const HEAD = 'mace erased keys/v1';
const KID = /^[A-Za-z0-9._:-]{1,200}$/;
const MARK = /^mark ([0-9a-f]{64})$/;
const EVIDENCE = /^evidence ([0-9a-f]{64})(?: (dr-[0-9a-f]{32}))?$/;
const REQUEST = /^request (dr-[0-9a-f]{32}) ([A-Za-z0-9._:-]{1,200})$/;
const FORMS = [KID, MARK, EVIDENCE, REQUEST];

/** Forensic evidence that went with a person. */
export interface ErasedEvidence {
  /** Its name, the hash of what was stored. */
  readonly ref: string;
  /** The request for which it went; null where only a mark at the witness told of it. */
  readonly dsrId: string | null;
}

/** A deletion that was carried out. */
export interface ErasedRequest {
  readonly dsrId: string;
  /** Opaque id of the person, as it stands in the kids too. */
  readonly userId: string;
}

/** What was erased, beside data keys. */
export interface ErasedBeside {
  readonly evidence?: readonly ErasedEvidence[];
  readonly requests?: readonly ErasedRequest[];
}

/**
 * Which data keys and which evidence were destroyed, and for which requests, kept beside the keys of the log and not
 * beside the data: a backup of the data brings them back, and by this list they go again.
 */
export class ErasedKeys {
  private readonly path: string;
  private readonly known: Set<string>;
  private readonly marked: Set<string>;
  private readonly purged = new Map<string, string | null>();
  private readonly done = new Map<string, string>();

  constructor(
    private readonly keyFolder: string,
    private readonly origin: string,
  ) {
    this.path = join(keyFolder, 'checkpoints', `${sha256Hex(origin).slice(0, 32)}.erased`);
    const text = existsSync(this.path) ? readText(this.path) : '';
    const lines = linesIn(text, this.path);
    this.known = new Set(lines.filter((line) => KID.test(line)));
    this.marked = new Set(lines.flatMap((line) => MARK.exec(line)?.[1] ?? []));
    for (const line of lines) this.takeBeside(line);
  }

  all(): readonly string[] {
    return [...this.known];
  }

  /** Of keys that were destroyed, and of which no kid is known here (LogKeys.markOf): a witness has named them so. */
  marks(): readonly string[] {
    return [...this.marked];
  }

  evidence(): readonly ErasedEvidence[] {
    return [...this.purged].map(([ref, dsrId]) => ({ ref, dsrId }));
  }

  requests(): readonly ErasedRequest[] {
    return [...this.done].map(([dsrId, userId]) => ({ dsrId, userId }));
  }

  /** What a witness is to know of by a mark: ids of data keys, names of evidence. */
  names(): readonly string[] {
    return [...this.known, ...this.purged.keys()];
  }

  /** @param name id of a data key, or name of a piece of evidence */
  has(name: string): boolean {
    return this.known.has(name) || this.purged.has(name);
  }

  /** Durable once it settles. */
  async add(kids: readonly string[], marks: readonly string[] = [], beside: ErasedBeside = {}): Promise<void> {
    const before = this.text();
    for (const kid of kids) this.known.add(kid);
    for (const mark of marks) this.marked.add(mark);
    for (const { ref, dsrId } of beside.evidence ?? []) this.purged.set(ref, dsrId ?? this.purged.get(ref) ?? null);
    for (const { dsrId, userId } of beside.requests ?? []) this.done.set(dsrId, userId);
    const text = this.text();
    if (text === before) return;
    mkdirSync(join(this.keyFolder, 'checkpoints'), { recursive: true, mode: 0o700 });
    await replaceFile(this.path, text);
  }

  /** Takes up what events say of which it is known that they are signed, and erasures (FollowedErasures). */
  async take(events: readonly Said[]): Promise<void> {
    const destroyed = events.filter(({ type }) => type === DESTROYED).map(({ data }) => data);
    const evidence = events.filter(({ type }) => type === PURGED).flatMap(({ data }) => evidenceIn(data));
    const kids = destroyed.flatMap(kidsIn);
    const requests = destroyed.flatMap(requestIn);
    if (kids.length + evidence.length + requests.length > 0) await this.add(kids, [], { evidence, requests });
  }

  private takeBeside(line: string): void {
    const [, ref, forRequest] = EVIDENCE.exec(line) ?? [];
    if (ref !== undefined) this.purged.set(ref, forRequest ?? null);
    const [, dsrId, userId] = REQUEST.exec(line) ?? [];
    if (dsrId !== undefined) this.done.set(dsrId, userId!);
  }

  private text(): string {
    const marks = [...this.marked].map((mark) => `mark ${mark}`);
    const evidence = this.evidence().map(({ ref, dsrId }) => `evidence ${ref}${dsrId === null ? '' : ` ${dsrId}`}`);
    const requests = this.requests().map(({ dsrId, userId }) => `request ${dsrId} ${userId}`);
    return `${[HEAD, this.origin, ...this.known, ...marks, ...evidence, ...requests].join('\n')}\n`;
  }
}

function linesIn(text: string, path: string): readonly string[] {
  if (text === '') return [];
  const [head, , ...lines] = text.slice(0, -1).split('\n');
  if (head === HEAD && text.endsWith('\n') && lines.every((line) => FORMS.some((form) => form.test(line))))
    return lines;
  throw new LogGuardError(
    `${path} is no list of the data keys that were destroyed: put it back from a backup of the key folder; without it they may come back`,
    null,
  );
}

function kidsIn({ kids }: Readonly<Record<string, unknown>>): readonly string[] {
  return Array.isArray(kids) ? kids.filter((kid): kid is string => typeof kid === 'string') : [];
}

/** What has no form of ours is no line of the list: it would be one that no start can read. */
function requestIn({ dsr_id, user_id }: Readonly<Record<string, unknown>>): readonly ErasedRequest[] {
  if (typeof dsr_id !== 'string' || typeof user_id !== 'string') return [];
  return REQUEST.test(`request ${dsr_id} ${user_id}`) ? [{ dsrId: dsr_id, userId: user_id }] : [];
}

function evidenceIn({ evidence_ref, dsr_id }: Readonly<Record<string, unknown>>): readonly ErasedEvidence[] {
  if (typeof evidence_ref !== 'string' || !EVIDENCE.test(`evidence ${evidence_ref}`)) return [];
  const isNamed = typeof dsr_id === 'string' && EVIDENCE.test(`evidence ${evidence_ref} ${dsr_id}`);
  return [{ ref: evidence_ref, dsrId: isNamed ? dsr_id : null }];
}
