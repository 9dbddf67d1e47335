import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import type { RecordedEvent } from '#lib/event-store';
import { sha256Hex } from '#lib/kernel';

import { replaceFile } from './durable-file.js';
import { erasedKeysText, parseErasedKeys } from './witness/erased-keys-note.js';

/** The event that says which data keys of a person are destroyed. */
const DESTROYED = 'SUBJECT_KEYS_DESTROYED';

/**
 * Which data keys were destroyed, kept beside the keys of the log and not beside the data: a backup of the data brings
 * the keys back, and by this list they go again.
 */
export class ErasedKeys {
  private readonly path: string;
  private readonly known: Set<string>;

  constructor(
    private readonly keyFolder: string,
    private readonly origin: string,
  ) {
    this.path = join(keyFolder, 'checkpoints', `${sha256Hex(origin).slice(0, 32)}.erased`);
    const text = existsSync(this.path) ? readFileSync(this.path, 'utf8') : '';
    this.known = new Set(parseErasedKeys(text)?.kids ?? []);
  }

  all(): readonly string[] {
    return [...this.known];
  }

  /** Durable once it settles. */
  async add(kids: readonly string[]): Promise<void> {
    const before = this.known.size;
    for (const kid of kids) this.known.add(kid);
    if (this.known.size === before) return;
    mkdirSync(join(this.keyFolder, 'checkpoints'), { recursive: true, mode: 0o700 });
    await replaceFile(this.path, erasedKeysText(this.origin, this.all()));
  }

  /** Takes up what the events say, before they count as followed. */
  async follow(events: readonly Pick<RecordedEvent, 'type' | 'text'>[]): Promise<void> {
    const kids = events.filter(({ type }) => type === DESTROYED).flatMap(({ text }) => kidsIn(text));
    if (kids.length > 0) await this.add(kids);
  }
}

function kidsIn(text: string): readonly string[] {
  const { data } = JSON.parse(text) as { readonly data?: { readonly kids?: unknown } };
  const kids = data?.kids;
  return Array.isArray(kids) ? kids.filter((kid): kid is string => typeof kid === 'string') : [];
}
