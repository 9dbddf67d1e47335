import { isArray, type Json } from './canonical.js';
import { isObject, type ProvenEvent } from './events.js';
import { type ErasureView, same, word } from './report.js';

export const DESTROYED = 'SUBJECT_KEYS_DESTROYED';
export const ERASED = 'SUBJECT_ERASED';
const STREAM = /^dsr-/;

/**
 * What a bundle shows of the erasure of the job's person: the event that names the data keys which were destroyed, and the
 * one that closes the request, behind everything that the job says. From then on no process can have such a key.
 * @throws Difference for one that is of another person, of keys of which the job knows nothing, or from before the job
 */
export function checkErasures(
  job: readonly ProvenEvent[],
  events: readonly ProvenEvent[],
): { readonly known: ReadonlySet<ProvenEvent>; readonly view: ErasureView } {
  const kids = keysOf(job);
  const person = word(job[0]?.data['user_id']);
  const found = events.filter(({ record }) => STREAM.test(record.stream));
  const proven = new Set<string>();
  /** By request: the job's keys that it destroyed; null once it is closed. Each says both once. */
  const requests = new Map<string, ReadonlySet<string> | null>();
  let erased_at: string | null = null;
  for (const event of found) {
    const { at, type, data, record } = event;
    const before = requests.get(record.stream);
    same('erasure', at, person, data['user_id']);
    if (type === ERASED) {
      same('erasure', at, DESTROYED, before ? DESTROYED : 'nothing before it');
      for (const kid of before ?? []) {
        same('erasure', at, 'a place behind the job', placeOf(record.leaf_index, kids.get(kid)!));
        proven.add(kid);
      }
      erased_at = word(data['erased_at']);
      requests.set(record.stream, null);
    } else {
      same('erasure', at, DESTROYED, type);
      same('erasure', at, 'each once', before === undefined ? 'each once' : 'twice');
      const named = namedBy(event, kids);
      if (named.size === 0) same('erasure', at, 'a data key of the job', 'none');
      requests.set(record.stream, named);
    }
  }
  return { known: new Set(found), view: { keys: kids.size, proven: proven.size, erased_at } };
}

function placeOf(leaf: number, last: number): string {
  return leaf > last ? 'a place behind the job' : `leaf ${leaf}, and the job goes on to leaf ${last}`;
}

/** The data keys that a job's events name, each with the last leaf of an event that does. */
function keysOf(job: readonly ProvenEvent[]): ReadonlyMap<string, number> {
  const kids = new Map<string, number>();
  for (const { data, record } of job)
    for (const value of Object.values(data)) {
      const kid = kidOf(value);
      if (kid !== null) kids.set(kid, record.leaf_index);
    }
  return kids;
}

function kidOf(value: Json | undefined): string | null {
  const sealed = isObject(value) ? value['$enc'] : undefined;
  const kid = isObject(sealed) ? sealed['kid'] : undefined;
  return typeof kid === 'string' ? kid : null;
}

function namedBy({ data }: ProvenEvent, kids: ReadonlyMap<string, number>): ReadonlySet<string> {
  const named = isArray(data['kids'] ?? null) ? (data['kids'] as readonly Json[]) : [];
  return new Set(named.filter((kid): kid is string => typeof kid === 'string' && kids.has(kid)));
}
