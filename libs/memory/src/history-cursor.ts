import { MaceError, sha256Hex } from '#lib/kernel';

/** A cursor names the revision to go on from, and belongs to the key it was given for. */
export function encodeCursor(key: string, revision: number): string {
  return Buffer.from(`${keyTag(key)}.${revision}`).toString('base64url');
}

/** @throws MaceError INVALID_INPUT */
export function decodeCursor(cursor: string, key: string): number {
  const [tag, revision = ''] = Buffer.from(cursor, 'base64url').toString('latin1').split('.');
  if (tag !== keyTag(key) || !/^(0|[1-9][0-9]{0,14})$/.test(revision)) {
    throw new MaceError('INVALID_INPUT', 'cursor: the next_cursor of an earlier page of the same list');
  }
  return Number(revision);
}

function keyTag(key: string): string {
  return sha256Hex(key).slice(0, 8);
}
