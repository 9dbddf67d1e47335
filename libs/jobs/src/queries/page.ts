import { MaceError } from '#lib/kernel';

export interface Page<T> {
  readonly items: readonly T[];
  /** Where the next page begins; null on the last one. */
  readonly next_cursor: string | null;
}

/**
 * Where a page begins in a list that only grows at its end, whose cursors are places in it.
 * @throws MaceError INVALID_INPUT for a cursor that no such list gave
 */
export function placeOf(cursor: string | undefined): number {
  if (cursor !== undefined && !/^[1-9]\d{0,8}$/.test(cursor)) {
    throw new MaceError('INVALID_INPUT', 'query.cursor: next_cursor of the page before');
  }
  return Number(cursor ?? 0);
}

/** A page of such a list. @throws MaceError INVALID_INPUT */
export function pageOf<T>(all: readonly T[], limit: number, cursor: string | undefined): Page<T> {
  const from = placeOf(cursor);
  const end = from + limit;
  return { items: all.slice(from, end), next_cursor: end < all.length ? String(end) : null };
}
