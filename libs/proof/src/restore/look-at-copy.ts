import { existsSync } from 'node:fs';
import { join } from 'node:path';

import { openSqliteEventStore, openSqliteSubjectKeys, positionOf, START } from '#lib/event-store';
import type { KeyRing } from '#lib/kernel';
import { DataFolder } from '#lib/sqlite';

import { RestoreError } from './restore-error.js';

const PAGE = 1000;

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
      const kid = event ? kidOf(event.text) : null;
      if (kid !== null && ring.verifying(kid, 'event-hmac')) continue;
      throw new RestoreError(
        `the copy is of another log, or of other keys: its event at position ${event?.position ?? head} is signed by ${kid ?? 'no key'}, which is not in the key ring here. Nothing was moved; give a copy of this log`,
      );
    }
  } finally {
    await events.close();
  }
}

function kidOf(text: string): string | null {
  const { metadata } = JSON.parse(text) as { readonly metadata?: { readonly kid?: unknown } };
  return typeof metadata?.kid === 'string' ? metadata.kid : null;
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
