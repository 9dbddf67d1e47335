import { MaceError } from './errors.js';

/** Which part of a list is asked for. */
export interface PageRequest {
  /** How many items at most; 1 or more. */
  readonly limit: number;
  /** `next_cursor` of the page before; undefined for the first. */
  readonly cursor?: string | undefined;
}

export interface PageAfter<T> {
  readonly items: readonly T[];
  /** The name of the last item here where there are more, else null. */
  readonly next_cursor: string | null;
}

/**
 * A page of a list that is there as a whole. The cursor is the name of the last item that was seen, so that neither what
 * comes in front of it nor what comes at the end moves the place.
 * @param nameOf what tells an item from the others
 * @throws MaceError INVALID_INPUT for a cursor that names none of them
 */
export function pageAfter<T>(
  all: readonly T[],
  nameOf: (item: T) => string,
  { limit, cursor }: PageRequest,
): PageAfter<T> {
  const last = cursor === undefined ? -1 : all.findIndex((item) => nameOf(item) === cursor);
  if (cursor !== undefined && last < 0) {
    throw new MaceError('INVALID_INPUT', 'query.cursor: next_cursor of the page before, of the same list');
  }
  const items = all.slice(last + 1, last + 1 + limit);
  const isMore = last + 1 + limit < all.length;
  return { items, next_cursor: isMore ? nameOf(items.at(-1)!) : null };
}
