import type { Change, Checkpoint, CollectionDefinition, FindOptions, Generation, ReadStore } from '../port.js';

export interface ReadStoreUnderTest {
  readonly store: ReadStore;
  /** Closes the store and opens what it kept; absent where nothing is kept. */
  readonly reopen?: () => Promise<ReadStore>;
  readonly dispose: () => Promise<void>;
}

export const LIVE: Generation = { projection: 'people', name: 'v1' };
export const PEOPLE: CollectionDefinition = { name: 'people', indexes: ['age', 'city', 'value'], sortedBy: 'age' };
export const NOTES: CollectionDefinition = { name: 'notes', indexes: [] };

export const put = (id: string, body: Record<string, unknown>): Change => ({
  op: 'put',
  collection: 'people',
  id,
  body: body as never,
});
export const merge = (id: string, fields: Record<string, unknown>): Change => ({
  op: 'merge',
  collection: 'people',
  id,
  fields: fields as never,
});
export const add = (id: string, at: number, fields: Record<string, number>): Change => ({
  op: 'add',
  collection: 'people',
  id,
  at,
  fields,
});
export const remove = (id: string): Change => ({ op: 'delete', collection: 'people', id });

/** A store anew for each test, with its generation claimed. */
export class Trial {
  under!: ReadStoreUnderTest;
  store!: ReadStore;
  at!: Checkpoint;

  constructor(private readonly factory: () => Promise<ReadStoreUnderTest>) {}

  async begin(): Promise<void> {
    this.under = await this.factory();
    this.store = this.under.store;
    await this.store.prepare(LIVE, [PEOPLE, NOTES]);
    this.at = await this.store.claim(LIVE);
  }

  /** Applies changes as the owner does. */
  async apply(...changes: Change[]): Promise<void> {
    const to = String(Number(this.at.position) + 1);
    expect(await this.store.apply(LIVE, { changes, from: this.at, to })).toBe('applied');
    this.at = { ...this.at, position: to };
  }

  async bodyOf(id: string): Promise<unknown> {
    return (await this.store.get(LIVE, 'people', id))?.body ?? null;
  }

  async idsOf(options: Partial<FindOptions>): Promise<string[]> {
    return (await this.store.find(LIVE, 'people', { limit: 1000, ...options })).documents.map(({ id }) => id);
  }

  /** Every page of a query, one after another. */
  async paged(options: FindOptions): Promise<string[]> {
    const ids: string[] = [];
    for (let cursor: string | undefined; ;) {
      const page = await this.store.find(LIVE, 'people', cursor === undefined ? options : { ...options, cursor });
      ids.push(...page.documents.map(({ id }) => id));
      if (page.next === null) return ids;
      expect(page.documents).toHaveLength(options.limit);
      cursor = page.next;
    }
  }
}
