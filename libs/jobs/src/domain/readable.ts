import type { DomainEvent, Json } from '#lib/kernel';

/** What stands for an erased text wherever one reads (spec/privacy.md, "Personal fields"). */
export const ERASED_TEXT = '[erased]';

/** What stands for a text of which a hash alone was kept, as its job asked. */
export const UNKEPT_TEXT = '[not kept]';

/** Personal fields that are no texts: a list that was erased has no items any more, an object is not there. */
const SHAPED: Readonly<Record<string, Json>> = {
  reasoning_trace: [],
  evidence: [],
  agent_outputs: [],
  council_votes: [],
  notices: [],
  items: [],
  redactions: [],
  error: null,
  memory_write: null,
};

/** Exactly `{"$erased": true}`. */
export function isErased(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  // The mark first: hardly any object has it, and counting names costs more than looking for one.
  return (value as Readonly<Record<string, unknown>>)['$erased'] === true && Object.keys(value).length === 1;
}

/**
 * Events as readers are shown them: each erased field has the form that it had, and a text that was not kept says so. What an amendment changed is an object,
 * and stays the mark of its erasure.
 */
export function readable<E extends DomainEvent>(events: readonly E[]): readonly E[] {
  return events.map((event) => {
    const erased = Object.keys(event.data).filter((field) => field !== 'changes' && isErased(event.data[field]));
    const isUnkept = event.data['output_hash'] !== undefined;
    if (erased.length === 0 && !isUnkept) return event;
    const shown: Record<string, Json> = isUnkept ? { text: UNKEPT_TEXT } : {};
    for (const field of erased) shown[field] = Object.hasOwn(SHAPED, field) ? SHAPED[field]! : ERASED_TEXT;
    return { ...event, data: { ...event.data, ...shown } };
  });
}
