import { existsSync } from 'node:fs';
import { join } from 'node:path';

import {
  HmacKey,
  openSqliteEventStore,
  openSqliteSubjectKeys,
  positionOf,
  type RecordedEvent,
  START,
} from '#lib/event-store';
import { equalInConstantTime, type KeyRing } from '#lib/kernel';
import { DataFolder } from '#lib/sqlite';

import { RestoreError } from './restore-error.js';

const PAGE = 1000;
/** How the signature stands in an event's text, which was signed without it. */
const SIGNATURE = '"signature":"';
const HEX_LENGTH = 64;
const QUOTE_AND_COMMA = 2;

/**
 * Whether a copy can be read with the keys that are here, before it takes the place of anything.
 * @param held by the caller; taken here where null
 * @returns kids of the data keys that are in it although they were destroyed
 * @throws RestoreError where its events were signed by other keys, DataFileError where a file of it is damaged
 */
export async function lookAt(
  path: string,
  held: DataFolder | null,
  ring: KeyRing,
  isErased: (kid: string) => boolean,
): Promise<readonly string[]> {
  const folder = held ?? DataFolder.take(path);
  try {
    await refuseForeign(folder, ring);
    return existsSync(join(path, 'subject-keys.db')) ? await presentKeys(folder, isErased) : [];
  } finally {
    if (!held) folder.release();
  }
}

/** By its first event and its last. */
async function refuseForeign(folder: DataFolder, ring: KeyRing): Promise<void> {
  const events = await openSqliteEventStore({ folder });
  try {
    const head = await events.head();
    if (head === START) return;
    for (const after of [START, positionOf(String(BigInt(head) - 1n))]) {
      const [event] = (await events.readAll({ after, limit: 1 })).events;
      if (event) refuseUnsigned(event, ring);
    }
  } finally {
    await events.close();
  }
}

function refuseUnsigned({ position, stream, text }: RecordedEvent, ring: KeyRing): void {
  const { kid, signature } = signedBy(text);
  const key = kid === null ? undefined : ring.verifying(kid, 'event-hmac');
  if (!key)
    throw new RestoreError(
      `the copy is of another log, or of other keys: its event at position ${position} is signed by ${kid ?? 'no key'}, which is not in the key ring here. Nothing was moved; give a copy of this log`,
    );
  const cut = text.lastIndexOf(SIGNATURE);
  const [before, after] = [text.slice(0, cut), text.slice(cut + SIGNATURE.length + HEX_LENGTH + QUOTE_AND_COMMA)];
  if (cut >= 0 && equalInConstantTime(new HmacKey(ring.subkey(key, stream)).hex(before, after), signature)) return;
  throw new RestoreError(
    `the copy was changed, or is of another log: its event at position ${position} is not what key ${key.kid} signed. Nothing was moved; give a copy of this log`,
  );
}

/** As far as the text says it: a copy may hold anything. */
function signedBy(text: string): { readonly kid: string | null; readonly signature: string } {
  const { kid, signature } = metadataOf(text);
  return { kid: typeof kid === 'string' ? kid : null, signature: typeof signature === 'string' ? signature : '' };
}

function metadataOf(text: string): { readonly kid?: unknown; readonly signature?: unknown } {
  try {
    return (JSON.parse(text) as { readonly metadata?: { readonly kid?: unknown } }).metadata ?? {};
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof TypeError) return {};
    throw error;
  }
}

async function presentKeys(folder: DataFolder, isErased: (kid: string) => boolean): Promise<readonly string[]> {
  const store = await openSqliteSubjectKeys({ folder });
  const found: string[] = [];
  try {
    for (let after: string | null = null; ;) {
      const { keys, next } = await store.present(after, PAGE);
      for (const { kid } of keys) if (isErased(kid)) found.push(kid);
      if (next === null) return found;
      after = next;
    }
  } finally {
    await store.close();
  }
}
