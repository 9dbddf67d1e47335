/** One place in which two JSON values differ; undefined where one of them has nothing there. */
export interface Difference {
  /** JSON pointer (RFC 6901); empty for the whole. */
  readonly pointer: string;
  readonly from: unknown;
  readonly to: unknown;
}

/** Of more than so many nothing is shown apart: the whole values stand beside them. */
const MOST = 200;

/** Where two JSON values differ, in the order of the names. */
export function differencesOf(from: unknown, to: unknown): readonly Difference[] {
  const found: Difference[] = [];
  compare('', from, to, found);
  return found;
}

function compare(pointer: string, from: unknown, to: unknown, found: Difference[]): void {
  if (found.length >= MOST || Object.is(from, to)) return;
  const [before, after] = [membersOf(from), membersOf(to)];
  if (!before || !after || Array.isArray(from) !== Array.isArray(to)) {
    found.push({ pointer, from, to });
    return;
  }
  for (const name of new Set([...before.keys(), ...after.keys()]))
    compare(`${pointer}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`, before.get(name), after.get(name), found);
}

function membersOf(value: unknown): ReadonlyMap<string, unknown> | null {
  return typeof value === 'object' && value !== null ? new Map(Object.entries(value)) : null;
}
