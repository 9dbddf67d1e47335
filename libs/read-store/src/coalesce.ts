import { CanonicalJsonError, canonicalize, type Json, type JsonObject } from '#lib/kernel';
import { checkChange } from './definitions.js';
import { InvalidChangeError } from './errors.js';
import type { Change, CollectionDefinition } from './port.js';

/** What a batch does to one document, after all; bodies and fields as canonical JSON text. */
export interface CoalescedCollection {
  readonly collection: string;
  /** id, body, id, body ...: a flat list crosses to a worker several times faster than a list of pairs. */
  readonly puts: string[];
  /** id, fields, id, fields ... */
  readonly merges: string[];
  /** id, [[at, fields], ...], id ... */
  readonly adds: string[];
  readonly deletes: string[];
}

type Fields = Record<string, Json>;
type Outcome =
  | { kind: 'put'; body: JsonObject; owned: Fields | null }
  | { kind: 'merge'; fields: JsonObject; owned: Fields | null }
  | { kind: 'add'; adds: Addition[] }
  | { kind: 'delete' };
type Addition = readonly [at: number, fields: Readonly<Record<string, number>>];

/**
 * Folds a batch's changes in order into one change a document, and writes each body out once. Ids come in ascending
 * order, so that a large batch touches each page of an index once.
 * @throws InvalidChangeError
 */
export function coalesce(
  changes: readonly Change[],
  collections: readonly CollectionDefinition[],
): CoalescedCollection[] {
  const byCollection = new Map(
    collections.map(({ name, indexes }) => [name, { indexes, documents: new Map<string, Outcome>() }]),
  );
  for (const change of changes) {
    const target = byCollection.get(change.collection);
    if (!target)
      throw new InvalidChangeError(
        `the projection does not declare a collection "${String(change.collection).slice(0, 60)}"`,
      );
    checkChange(change, target.indexes);
    target.documents.set(change.id, next(target.documents.get(change.id), change));
  }
  const coalesced: CoalescedCollection[] = [];
  for (const [collection, { documents }] of byCollection) {
    if (documents.size > 0) coalesced.push(written(collection, documents));
  }
  return coalesced;
}

function next(before: Outcome | undefined, change: Change): Outcome {
  if (change.op === 'add' || before?.kind === 'add') return added(before, change);
  if (change.op === 'delete') return { kind: 'delete' };
  if (change.op === 'put') return { kind: 'put', body: change.body, owned: null };
  if (before === undefined) return { kind: 'merge', fields: change.fields, owned: null };
  // What was deleted in this batch is missing, so the merge makes it anew, without the stored fields.
  if (before.kind === 'delete') return { kind: 'put', body: change.fields, owned: null };
  before.owned ??= assign(emptyFields(), before.kind === 'put' ? before.body : before.fields);
  assign(before.owned, change.fields);
  return before;
}

function added(before: Outcome | undefined, change: Change): Outcome {
  if (change.op !== 'add' || (before && before.kind !== 'add'))
    throw new InvalidChangeError(`${change.collection}: what is added to is changed in no other way`);
  const outcome = before ?? { kind: 'add', adds: [] };
  outcome.adds.push([change.at, change.fields]);
  return outcome;
}

function written(collection: string, documents: ReadonlyMap<string, Outcome>): CoalescedCollection {
  const result: CoalescedCollection = { collection, puts: [], merges: [], adds: [], deletes: [] };
  for (const id of [...documents.keys()].sort()) {
    const outcome = documents.get(id);
    if (outcome === undefined) continue;
    if (outcome.kind === 'delete') result.deletes.push(id);
    else if (outcome.kind === 'add') result.adds.push(id, JSON.stringify(outcome.adds));
    else if (outcome.kind === 'put') result.puts.push(id, bodyText(collection, outcome.owned ?? outcome.body));
    else result.merges.push(id, bodyText(collection, outcome.owned ?? outcome.fields));
  }
  return result;
}

/** The canonical text of a stored body with fields replaced. */
export function mergedText(storedText: string, fieldsText: string): string {
  const merged = assign(emptyFields(), JSON.parse(storedText) as JsonObject);
  return canonicalize(assign(merged, JSON.parse(fieldsText) as JsonObject));
}

/** The canonical text of a stored body, null where there is none, with what is added that it does not contain yet. */
export function addedText(storedText: string | null, addsText: string): string {
  const sums = assign(emptyFields(), storedText === null ? {} : (JSON.parse(storedText) as JsonObject));
  for (const [at, fields] of JSON.parse(addsText) as readonly Addition[]) {
    if (at <= Number(sums['position'] ?? 0)) continue;
    for (const [field, more] of Object.entries(fields)) sums[field] = Number(sums[field] ?? 0) + more;
    sums['position'] = at;
  }
  return canonicalize(sums);
}

/** Without a prototype, a field named __proto__ is a field like any other. */
function emptyFields(): Fields {
  return Object.create(null) as Fields;
}

function assign(target: Fields, fields: JsonObject): Fields {
  for (const key of Object.keys(fields)) target[key] = fields[key] ?? null;
  return target;
}

function bodyText(collection: string, body: JsonObject): string {
  try {
    return canonicalize(body);
  } catch (error) {
    if (error instanceof CanonicalJsonError) throw new InvalidChangeError(`${collection}: ${error.message}`);
    throw error;
  }
}
