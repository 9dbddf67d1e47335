import { canonicalize, escapePointer, type Json } from '#lib/kernel';

/** One place where two values differ; null where a side has nothing there. */
export interface ValueDifference {
  /** JSON pointer, RFC 6901. */
  readonly pointer: string;
  /** Canonical text. */
  readonly recorded: string | null;
  readonly computed: string | null;
}

/** Every place where two JSON values differ, pointers in order; the deepest place is named, not its parents. */
export function differences(recorded: Json | undefined, computed: Json | undefined, pointer = ''): ValueDifference[] {
  const a = textOf(recorded);
  const b = textOf(computed);
  if (a === b) return [];
  if (!isContainer(recorded) || !isContainer(computed) || Array.isArray(recorded) !== Array.isArray(computed)) {
    return [{ pointer, recorded: a, computed: b }];
  }
  const left = recorded as Readonly<Record<string, Json>>;
  const right = computed as Readonly<Record<string, Json>>;
  const keys = [...new Set([...Object.keys(left), ...Object.keys(right)])];
  if (!Array.isArray(recorded)) keys.sort();
  return keys.flatMap((key) => differences(own(left, key), own(right, key), `${pointer}/${escapePointer(key)}`));
}

function own(container: Readonly<Record<string, Json>>, key: string): Json | undefined {
  return Object.hasOwn(container, key) ? container[key] : undefined;
}

function textOf(value: Json | undefined): string | null {
  return value === undefined ? null : canonicalize(value);
}

function isContainer(value: Json | undefined): boolean {
  return typeof value === 'object' && value !== null;
}
