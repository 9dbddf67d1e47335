import { canonicalize, sha256Hex } from '#lib/kernel';
import type { Document, Generation, ReadStore } from '#lib/read-store';

/** A document that two generations hold otherwise. */
export interface DifferingDocument {
  readonly collection: string;
  readonly id: string;
  /** sha256 of the canonical body; null where it is not there. */
  readonly live: string | null;
  readonly scratch: string | null;
}

export interface GenerationIn {
  readonly store: ReadStore;
  readonly generation: Generation;
}

const PAGE = 500;
/** How many documents that differ are named. */
export const MOST_DIFFERING = 20;

/**
 * The first documents that differ, by collection and id. Both are read a page at a time.
 * @param most how many at most
 */
export async function differingDocuments(
  collections: readonly string[],
  live: GenerationIn,
  scratch: GenerationIn,
  most: number,
): Promise<readonly DifferingDocument[]> {
  const found: DifferingDocument[] = [];
  for (const collection of [...collections].sort()) {
    const [left, right] = [documentsOf(live, collection), documentsOf(scratch, collection)];
    let [a, b] = [await next(left), await next(right)];
    while ((a || b) && found.length < most) {
      const order = !a ? 1 : !b ? -1 : byCodePoint(a.id, b.id);
      const [x, y] = [order <= 0 ? a : null, order >= 0 ? b : null];
      const [was, is] = [hashOf(x), hashOf(y)];
      if (was !== is) found.push({ collection, id: (x ?? y)!.id, live: was, scratch: is });
      if (x) a = await next(left);
      if (y) b = await next(right);
    }
  }
  return found;
}

async function* documentsOf({ store, generation }: GenerationIn, collection: string): AsyncGenerator<Document, void> {
  let cursor: string | null | undefined;
  do {
    const page = await store.find(generation, collection, { limit: PAGE, ...(cursor ? { cursor } : {}) });
    yield* page.documents;
    cursor = page.next;
  } while (cursor !== null);
}

async function next(documents: AsyncGenerator<Document, void>): Promise<Document | null> {
  const { value } = await documents.next();
  return value ?? null;
}

export function hashOf(document: Document | null): string | null {
  return document && sha256Hex(canonicalize(document.body));
}

/** As the read store sorts ids. */
export function byCodePoint(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b));
}
