/** A row whose position is a text, as positions are everywhere. */
export type PlacedRow<R extends { readonly position: number }> = Omit<R, 'position'> & { readonly position: string };

export function placed<R extends { readonly position: number }>(row: R): PlacedRow<R> {
  return { ...row, position: String(row.position) };
}

/**
 * A row of a list that release 0.1 had: `position` stays the number that it was there, deprecated (docs/versioning.md),
 * and `log_position` is the same as a text.
 */
export type RowOfOld<R extends { readonly position: number }> = R & { readonly log_position: string };

export function placedAsOfOld<R extends { readonly position: number }>(row: R): RowOfOld<R> {
  return { ...row, log_position: String(row.position) };
}
