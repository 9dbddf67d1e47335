import type { EventStore, EventToAppend, NonEmpty } from '#lib/event-store';
import type { ReadStore } from '#lib/read-store';
import { isTracing, traced, type Traced } from '#lib/tracing';

/** The same store, with a span for each append, in the trace of the events. The store itself where nothing is exported. */
export function traceAppends(store: EventStore): EventStore {
  if (!isTracing()) return store;
  return delegated(store, {
    append: (stream, expected, events) =>
      traced(
        () => appendOf(stream, events),
        async (span) => {
          const result = await store.append(stream, expected, events);
          const outcome = result.outcome === 'appended' && result.repeated ? 'repeated' : result.outcome;
          span.set({ 'mace.append.outcome': outcome });
          if (result.outcome === 'appended') span.set({ 'mace.position': result.position });
          return result;
        },
      ),
  });
}

/** The same store, with a span for each batch of changes that a projection writes, in a trace of its own. */
export function traceBatches(store: ReadStore): ReadStore {
  if (!isTracing()) return store;
  return delegated(store, {
    apply: (generation, batch) => {
      // Only the checkpoint moves: over events that do not concern it, every second.
      if (batch.changes.length === 0) return store.apply(generation, batch);
      const { projection } = generation;
      return traced(
        () => ({
          name: `project ${projection}`,
          alone: true,
          attributes: {
            'mace.projection': projection,
            'mace.projection.changes': batch.changes.length,
            'mace.position.from': batch.from.position,
            'mace.position': batch.to,
          },
        }),
        async (span) => {
          const outcome = await store.apply(generation, batch);
          if (outcome === 'fenced') span.fail('fenced');
          return outcome;
        },
      );
    },
  });
}

function appendOf(stream: string, events: NonEmpty<EventToAppend>): Traced {
  return {
    name: 'append',
    traceId: traceOf(events[0]),
    attributes: {
      // Of a stream's name only what it is of: the rest names a thing, or somebody.
      'mace.stream.category': stream.slice(0, stream.indexOf('-')),
      'mace.event.count': events.length,
      'mace.event.first_id': events[0].id,
      'mace.event.types': [...new Set(events.map(({ type }) => type))],
    },
  };
}

const CORRELATION = '"$correlationId":"';

/** The event's trace; no text is made for it. */
function traceOf(event: EventToAppend): string | undefined {
  return event.order ? event.order.traceId : traceIn(event.text);
}

/** Without parsing all of it: metadata come after the data, and this is their first member. */
function traceIn(text: string): string | undefined {
  const at = text.lastIndexOf(CORRELATION);
  if (at < 0) return undefined;
  const begin = at + CORRELATION.length;
  return text.slice(begin, text.indexOf('"', begin));
}

/** What is not given is the store's own. */
function delegated<T extends object>(store: T, own: Partial<T>): T {
  return new Proxy(store, {
    get: (target, name) => {
      const member = (own as Record<string | symbol, unknown>)[name] ?? Reflect.get(target, name, target);
      return typeof member === 'function' && !(name in own) ? (member as () => unknown).bind(target) : member;
    },
  });
}
