import type { ReadModel } from './read-model.js';

/** Something that closes by itself. */
export interface DueTime {
  readonly id: string;
  /** ISO 8601. */
  readonly closesAt: string;
}

const SCAN = 1000;

/**
 * The documents of a collection that close by themselves at some time, the earliest first, as far as the projection is.
 * @param collection with an index `closes_at`: the time, ISO 8601, or null for what is closed
 */
export async function* dueTimes(model: Pick<ReadModel, 'find'>, collection: string): AsyncGenerator<DueTime> {
  let cursor: string | undefined;
  do {
    const found = await model.find(collection, {
      // Every time stands in this range; null, for what is closed, in none.
      where: [{ field: 'closes_at', from: '' }],
      sort: { field: 'closes_at' },
      limit: SCAN,
      ...(cursor === undefined ? {} : { cursor }),
    });
    for (const { id, body } of found.documents) yield { id, closesAt: body['closes_at'] as string };
    cursor = found.next ?? undefined;
  } while (cursor !== undefined);
}
