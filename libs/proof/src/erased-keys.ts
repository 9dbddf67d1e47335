import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import type { RecordedEvent } from '#lib/event-store';
import { sha256Hex } from '#lib/kernel';

import { replaceFile } from './durable-file.js';
import { LogGuardError } from './start-guard.js';

/** The event that says which data keys of a person are destroyed. */
const DESTROYED = 'SUBJECT_KEYS_DESTROYED';
/** The file: this, the origin, one kid a line, and the marks of keys that no kid is known of. */
const HEAD = 'mace erased keys/v1';
const KID = /^[A-Za-z0-9._:-]{1,200}$/;
const MARK = /^mark ([0-9a-f]{64})$/;

/**
 * Which data keys were destroyed, kept beside the keys of the log and not beside the data: a backup of the data brings
 * the keys back, and by this list they go again.
 */
export class ErasedKeys {
  private readonly path: string;
  private readonly known: Set<string>;
  private readonly marked: Set<string>;

  constructor(
    private readonly keyFolder: string,
    private readonly origin: string,
  ) {
    this.path = join(keyFolder, 'checkpoints', `${sha256Hex(origin).slice(0, 32)}.erased`);
    const text = existsSync(this.path) ? readFileSync(this.path, 'utf8') : '';
    const lines = linesIn(text, this.path);
    this.known = new Set(lines.filter((line) => KID.test(line)));
    this.marked = new Set(lines.flatMap((line) => MARK.exec(line)?.[1] ?? []));
  }

  all(): readonly string[] {
    return [...this.known];
  }

  /** Of keys that were destroyed, and of which no kid is known here (LogKeys.markOf): a witness has named them so. */
  marks(): readonly string[] {
    return [...this.marked];
  }

  has(kid: string): boolean {
    return this.known.has(kid);
  }

  /** Durable once it settles. */
  async add(kids: readonly string[], marks: readonly string[] = []): Promise<void> {
    const before = this.known.size + this.marked.size;
    for (const kid of kids) this.known.add(kid);
    for (const mark of marks) this.marked.add(mark);
    if (this.known.size + this.marked.size === before) return;
    mkdirSync(join(this.keyFolder, 'checkpoints'), { recursive: true, mode: 0o700 });
    await replaceFile(this.path, `${[HEAD, this.origin, ...this.known, ...this.markLines()].join('\n')}\n`);
  }

  private markLines(): readonly string[] {
    return [...this.marked].map((mark) => `mark ${mark}`);
  }

  /** Takes up what the events say, before they count as followed. */
  async follow(events: readonly Pick<RecordedEvent, 'type' | 'text'>[]): Promise<void> {
    const kids = events.filter(({ type }) => type === DESTROYED).flatMap(({ text }) => destroyedBy(text));
    if (kids.length > 0) await this.add(kids);
  }
}

function linesIn(text: string, path: string): readonly string[] {
  if (text === '') return [];
  const [head, , ...lines] = text.slice(0, -1).split('\n');
  if (head === HEAD && text.endsWith('\n') && lines.every((line) => KID.test(line) || MARK.test(line))) return lines;
  throw new LogGuardError(
    `${path} is no list of the data keys that were destroyed: put it back from a backup of the key folder; without it they may come back`,
  );
}

function destroyedBy(text: string): readonly string[] {
  const { data } = JSON.parse(text) as { readonly data?: { readonly kids?: unknown } };
  const kids = data?.kids;
  return Array.isArray(kids) ? kids.filter((kid): kid is string => typeof kid === 'string') : [];
}
