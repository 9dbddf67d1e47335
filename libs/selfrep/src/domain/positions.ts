/** Whether one decimal position lies beyond another. */
export function isBeyond(position: string, other: string): boolean {
  return position.length !== other.length ? position.length > other.length : position > other;
}
