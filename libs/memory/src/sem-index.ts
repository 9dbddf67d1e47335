import { MaceError } from '#lib/kernel';
import { liveGeneration } from '#lib/projections';
import type { ReadStore } from '#lib/read-store';

import { SEM_COLLECTION, semProjection } from './read-models/sem.projection.js';
import type { SemReader } from './sem-reader.js';

/** One page of keys in key order, as of the position that the read model has reached. */
export interface KeyPage {
  readonly items: readonly string[];
  readonly next_cursor: string | null;
  readonly position: string;
}

/** A key of a person's own, without its value. */
export interface OwnKey {
  readonly key: string;
  readonly revision: number;
  /** Position of the write. */
  readonly position: string;
  /** Stored under a consent that has ended: kept, encrypted, and returned to nobody. */
  readonly withheld: boolean;
}

export interface OwnKeyPage {
  readonly items: readonly OwnKey[];
  readonly next_cursor: string | null;
  readonly position: string;
}

const PREFIX = /^[a-z0-9_/-]{0,256}$/;
const DEFAULT_PAGE = 50;

/** `sem_list(prefix)`: a range scan over the keys that hold a value which may still be used (spec/memory.md). */
export class SemIndex {
  constructor(
    private readonly store: ReadStore,
    private readonly reader: Pick<SemReader, 'isHidden'>,
  ) {}

  /** @throws MaceError INVALID_INPUT for a prefix that begins no key, wildcard characters included */
  async list(prefix: string, page: { readonly limit?: number; readonly cursor?: string }): Promise<KeyPage> {
    if (!PREFIX.test(prefix)) {
      throw new MaceError(
        'INVALID_INPUT',
        'prefix: the beginning of a key, at most 256 of a-z, 0-9, "_", "-" and "/"; no wildcards',
      );
    }
    const generation = await liveGeneration(this.store, semProjection);
    const checkpoint = await this.store.checkpoint(generation);
    const limit = page.limit ?? DEFAULT_PAGE;
    const items: string[] = [];
    for (let cursor = page.cursor ?? null; ;) {
      const found = await this.store.find(generation, SEM_COLLECTION.name, {
        where: [
          { field: 'id', prefix },
          { field: 'deleted', equals: false },
        ],
        limit: limit - items.length,
        ...(cursor === null ? {} : { cursor }),
      });
      const hidden = await Promise.all(found.documents.map(({ id }) => this.reader.isHidden(id)));
      items.push(...found.documents.filter((_, i) => !hidden[i]).map(({ id }) => id));
      cursor = found.next;
      if (cursor === null || items.length === limit) {
        return { items, next_cursor: cursor, position: checkpoint?.position ?? '0' };
      }
    }
  }

  /**
   * The keys under which something is stored of a person, in key order.
   * @throws MaceError INVALID_INPUT for a cursor that is none
   */
  async ofPerson(person: string, page: { readonly limit: number; readonly cursor?: string }): Promise<OwnKeyPage> {
    const generation = await liveGeneration(this.store, semProjection);
    const checkpoint = await this.store.checkpoint(generation);
    const { documents, next } = await this.store.find(generation, SEM_COLLECTION.name, {
      where: [
        { field: 'scope', equals: 'user' },
        { field: 'entity_id', equals: person },
        { field: 'deleted', equals: false },
      ],
      ...page,
    });
    const items = documents.map(async ({ id, body: { revision, position } }): Promise<OwnKey> => {
      const withheld = await this.reader.isHidden(id);
      return { key: id, revision: revision as number, position: position as string, withheld };
    });
    return { items: await Promise.all(items), next_cursor: next, position: checkpoint?.position ?? '0' };
  }
}
