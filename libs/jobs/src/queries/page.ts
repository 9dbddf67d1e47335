import { MaceError } from '#lib/kernel';

export interface Page<T> {
  readonly items: readonly T[];
  /** Where the next page begins; null on the last one. */
  readonly next_cursor: string | null;
}

/**
 * A page of a list that only grows at its end: its cursor is the place of the page's first item.
 * @throws MaceError INVALID_INPUT for a cursor that no such list gave
 */
export function pageOf<T>(all: readonly T[], limit: number, cursor: string | undefined): Page<T> {
  if (cursor !== undefined && !/^[1-9]\d{0,8}$/.test(cursor)) {
    throw new MaceError('INVALID_INPUT', 'query.cursor: next_cursor of the page before');
  }
  const from = Number(cursor ?? 0);
  const end = from + limit;
  return { items: all.slice(from, end), next_cursor: end < all.length ? String(end) : null };
}
