import type { EventStore } from '#lib/event-store';
import type { PageAfter } from '#lib/kernel';

/** A page of a list, as it is answered: `position` is what the list includes. */
export type Listed<T> = PageAfter<T> & { readonly position: string };

/**
 * A list that is read from streams, or from what this process holds, with the position that it includes: everything up to
 * the head of the log when its reading began.
 */
export async function upToHead<T extends object>(
  store: Pick<EventStore, 'head'>,
  list: () => T | Promise<T>,
): Promise<T & { readonly position: string }> {
  const position = await store.head();
  return { ...(await list()), position };
}
