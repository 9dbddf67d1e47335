import { MaceError, sha256Hex } from '#lib/kernel';
import { InvalidChangeError, ReadStoreDefinitionError, ReadStoreUnavailableError } from '../errors.js';
import type {
  Change,
  Checkpoint,
  CollectionDefinition,
  Condition,
  FindOptions,
  Generation,
  ReadStore,
} from '../port.js';

export interface ReadStoreUnderTest {
  readonly store: ReadStore;
  /** Closes the store and opens what it kept; absent where nothing is kept. */
  readonly reopen?: () => Promise<ReadStore>;
  readonly dispose: () => Promise<void>;
}

const LIVE: Generation = { projection: 'people', name: 'v1' };
const PEOPLE: CollectionDefinition = { name: 'people', indexes: ['age', 'city', 'value'] };
const NOTES: CollectionDefinition = { name: 'notes', indexes: [] };

/** What every read store must do; an adapter enrols with one line. */
export function describeReadStoreContract(name: string, factory: () => Promise<ReadStoreUnderTest>): void {
  describe(`read store contract: ${name}`, () => {
    let under: ReadStoreUnderTest;
    let store: ReadStore;
    let at: Checkpoint;

    beforeEach(async () => {
      under = await factory();
      store = under.store;
      await store.prepare(LIVE, [PEOPLE, NOTES]);
      at = await store.claim(LIVE);
    });
    afterEach(() => under.dispose());

    /** Applies changes as the owner does. */
    async function apply(...changes: Change[]): Promise<void> {
      const to = String(Number(at.position) + 1);
      expect(await store.apply(LIVE, { changes, from: at, to })).toBe('applied');
      at = { ...at, position: to };
    }
    const put = (id: string, body: Record<string, unknown>): Change => ({
      op: 'put',
      collection: 'people',
      id,
      body: body as never,
    });
    const merge = (id: string, fields: Record<string, unknown>): Change => ({
      op: 'merge',
      collection: 'people',
      id,
      fields: fields as never,
    });
    const remove = (id: string): Change => ({ op: 'delete', collection: 'people', id });
    const bodyOf = async (id: string): Promise<unknown> => (await store.get(LIVE, 'people', id))?.body ?? null;
    const idsOf = async (options: Partial<FindOptions>): Promise<string[]> =>
      (await store.find(LIVE, 'people', { limit: 1000, ...options })).documents.map(({ id }) => id);

    /** Every page of a query, one after another. */
    async function paged(options: FindOptions): Promise<string[]> {
      const ids: string[] = [];
      for (let cursor: string | undefined; ;) {
        const page = await store.find(LIVE, 'people', cursor === undefined ? options : { ...options, cursor });
        ids.push(...page.documents.map(({ id }) => id));
        if (page.next === null) return ids;
        expect(page.documents).toHaveLength(options.limit);
        cursor = page.next;
      }
    }

    describe('documents', () => {
      it('what was put is read back, by the next call after the answer', async () => {
        await apply(put('a', { age: 3, nested: { list: [1, null, 'x'] } }));
        expect(await store.get(LIVE, 'people', 'a')).toEqual({
          id: 'a',
          body: { age: 3, nested: { list: [1, null, 'x'] } },
        });
        expect(await store.get(LIVE, 'people', 'b')).toBeNull();
        expect(await store.get(LIVE, 'notes', 'a')).toBeNull();
      });

      it('a put replaces the whole document', async () => {
        await apply(put('a', { age: 3, city: 'Riga' }));
        await apply(put('a', { age: 4 }));
        expect(await bodyOf('a')).toEqual({ age: 4 });
        expect(await idsOf({ where: [{ field: 'city', equals: 'Riga' }] })).toEqual([]);
      });

      it('a merge replaces top-level fields only, sets null as a value, and makes what was missing', async () => {
        await apply(put('a', { age: 3, city: 'Riga', deep: { x: 1, y: 2 } }), merge('b', { age: 1 }));
        await apply(merge('a', { age: null, deep: { x: 9 } }));
        expect(await bodyOf('a')).toEqual({ age: null, city: 'Riga', deep: { x: 9 } });
        expect(await bodyOf('b')).toEqual({ age: 1 });
      });

      it('a delete removes, and deleting what is not there changes nothing', async () => {
        await apply(put('a', {}), put('b', {}));
        await apply(remove('a'), remove('never'));
        expect(await bodyOf('a')).toBeNull();
        expect(await store.count(LIVE, 'people')).toBe(1);
      });

      it('text survives as it was: quotes, NUL, emoji, a field called __proto__', async () => {
        const body = JSON.parse('{"__proto__":{"x":1},"city":"a\\u0000b","value":"\\"\\\\\\n😀","k€y":"ü"}') as Record<
          string,
          unknown
        >;
        await apply(put('o\'brien; DROP TABLE x -- "%_', body));
        await apply(merge('o\'brien; DROP TABLE x -- "%_', { age: 1 }));
        const read = await bodyOf('o\'brien; DROP TABLE x -- "%_');
        expect(JSON.stringify(read)).toBe(
          '{"__proto__":{"x":1},"age":1,"city":"a\\u0000b","k€y":"ü","value":"\\"\\\\\\n😀"}',
        );
        expect(await store.count(LIVE, 'people')).toBe(1);
      });
    });

    describe('a batch', () => {
      it('takes its changes of one document in order', async () => {
        await apply(put('x', { age: 1 }), put('y', { old: true }), put('z', { old: true }), put('w', { a: 1 }));
        await apply(
          put('a', { age: 1 }),
          merge('a', { city: 'Riga' }),
          merge('a', { age: 2 }),
          merge('b', { age: 1 }),
          merge('b', { city: 'Oslo' }),
          put('c', { age: 1 }),
          remove('c'),
          remove('y'),
          merge('y', { fresh: true }),
          merge('z', { gone: true }),
          remove('z'),
          put('z', { age: 9 }),
          merge('w', { b: 2 }),
          merge('w', { b: 3, c: 4 }),
          merge('x', { age: 5 }),
          remove('x'),
        );
        expect(await bodyOf('a')).toEqual({ age: 2, city: 'Riga' });
        expect(await bodyOf('b')).toEqual({ age: 1, city: 'Oslo' });
        expect(await bodyOf('c')).toBeNull();
        expect(await bodyOf('y')).toEqual({ fresh: true });
        expect(await bodyOf('z')).toEqual({ age: 9 });
        expect(await bodyOf('w')).toEqual({ a: 1, b: 3, c: 4 });
        expect(await bodyOf('x')).toBeNull();
      });

      it('leaves the objects it was given as they were', async () => {
        const body = { age: 1 };
        const fields = { city: 'Riga' };
        await apply(
          put('a', body),
          merge('a', fields),
          merge('a', { value: 1 }),
          merge('b', fields),
          merge('b', { value: 2 }),
        );
        expect([body, fields]).toEqual([{ age: 1 }, { city: 'Riga' }]);
        expect(await bodyOf('b')).toEqual({ city: 'Riga', value: 2 });
      });

      it('one change after another or all in one batch: the documents are the same', async () => {
        const changes = mixedChanges(300);
        const single: Generation = { projection: 'people', name: 'single' };
        await store.prepare(single, [PEOPLE, NOTES]);
        let from = await store.claim(single);
        for (const [i, change] of changes.entries()) {
          await store.apply(single, { changes: [change], from, to: String(i + 1) });
          from = { ...from, position: String(i + 1) };
        }
        await store.apply(LIVE, { changes, from: at, to: '300' });
        const [one, all] = [await store.digest(single), await store.digest(LIVE)];
        expect(all).toEqual(one);
        expect(one.documents).toBeGreaterThan(10);
      });

      it('moves the checkpoint with it, also when it changes nothing', async () => {
        expect(await store.checkpoint(LIVE)).toEqual({ position: '0', epoch: 1 });
        await apply(put('a', {}));
        await apply();
        expect(await store.checkpoint(LIVE)).toEqual({ position: '2', epoch: 1 });
      });

      it.each([
        ['an undeclared collection', { op: 'put', collection: 'elsewhere', id: 'a', body: {} }],
        ['an empty id', { op: 'put', collection: 'people', id: '', body: {} }],
        ['an id with NUL', { op: 'delete', collection: 'people', id: 'a\0b' }],
        ['an id with a lone surrogate', { op: 'put', collection: 'people', id: '\ud800', body: {} }],
        ['an id that is no text', { op: 'put', collection: 'people', id: 5, body: {} }],
        [
          'an object in an indexed field',
          { op: 'put', collection: 'people', id: 'a', body: { city: { $enc: 'secret' } } },
        ],
        ['an array in an indexed field', { op: 'merge', collection: 'people', id: 'a', fields: { city: ['x'] } }],
        ['a number that JSON has not', { op: 'put', collection: 'people', id: 'a', body: { x: NaN } }],
        ['a date', { op: 'put', collection: 'people', id: 'a', body: { x: new Date() } }],
        ['a body that is no object', { op: 'put', collection: 'people', id: 'a', body: null }],
      ])('is refused whole where it holds %s', async (_, bad) => {
        const batch = { changes: [put('good', {}), bad as unknown as Change], from: at, to: '9' };
        await expect(store.apply(LIVE, batch)).rejects.toThrow(InvalidChangeError);
        expect(await bodyOf('good')).toBeNull();
        expect(await store.checkpoint(LIVE)).toEqual(at);
      });

      it('carries the runner state, which stays until a batch replaces or removes it', async () => {
        expect(await store.runnerState(LIVE)).toBeNull();
        const step = async (to: string, runnerState?: { why: string } | null): Promise<void> => {
          const extra = runnerState === undefined ? {} : { runnerState };
          expect(await store.apply(LIVE, { changes: [], from: at, to, ...extra })).toBe('applied');
          at = { ...at, position: to };
        };
        await step('1', { why: 'poison' });
        await step('2');
        expect(await store.runnerState(LIVE)).toEqual({ why: 'poison' });
        await step('2', null);
        expect(await store.runnerState(LIVE)).toBeNull();
      });
    });

    describe('owners', () => {
      it('an older owner writes nothing after a new one has claimed', async () => {
        await apply(put('a', { by: 'first' }));
        const second = await store.claim(LIVE);
        expect(second).toEqual({ position: '1', epoch: 2 });
        expect(
          await store.apply(LIVE, {
            changes: [put('a', { by: 'late' })],
            from: at,
            to: '2',
            runnerState: { late: true },
          }),
        ).toBe('fenced');
        expect(await bodyOf('a')).toEqual({ by: 'first' });
        expect(await store.runnerState(LIVE)).toBeNull();
        expect(await store.apply(LIVE, { changes: [put('a', { by: 'second' })], from: second, to: '2' })).toBe(
          'applied',
        );
      });

      it('the same batch twice is applied once', async () => {
        const batch = { changes: [put('a', {})], from: at, to: '5' };
        expect(await store.apply(LIVE, batch)).toBe('applied');
        expect(await store.apply(LIVE, batch)).toBe('fenced');
      });

      it('of eight batches from one checkpoint exactly one is applied', async () => {
        const results = await Promise.all(
          Array.from({ length: 8 }, (_, i) =>
            store.apply(LIVE, { changes: [put(`w${i}`, {})], from: at, to: String(i + 1) }),
          ),
        );
        expect(results.filter((result) => result === 'applied')).toHaveLength(1);
        expect(await store.count(LIVE, 'people')).toBe(1);
      });

      it('what was never prepared can neither be claimed nor written nor read', async () => {
        const other: Generation = { projection: 'people', name: 'v2' };
        expect(await store.checkpoint(other)).toBeNull();
        await expect(store.claim(other)).rejects.toThrow(ReadStoreDefinitionError);
        await expect(store.apply(other, { changes: [], from: at, to: '1' })).rejects.toThrow(ReadStoreDefinitionError);
        await expect(store.get(other, 'people', 'a')).rejects.toThrow(ReadStoreDefinitionError);
        await expect(store.digest(other)).rejects.toThrow(ReadStoreDefinitionError);
        await expect(store.find(LIVE, 'elsewhere', { limit: 1 })).rejects.toThrow(ReadStoreDefinitionError);
      });
    });

    describe('find', () => {
      const VALUES: Record<string, unknown> = {
        absent: undefined,
        null: null,
        minus: -1.5,
        zero: 0,
        one: 1,
        ten: 10,
        empty: '',
        percent: '100%',
        percents: '100% sure',
        hundred: '1000',
        under: 'a_b',
        axb: 'axb',
        abc: 'abc',
        abd: 'abd',
        upper: 'ABC',
        nul: 'a\0b',
        nulc: 'a\0c',
        euro: '€',
        replacement: '\uffff',
        emoji: '😀',
        no: false,
        yes: true,
      };
      const ORDER = [
        'absent',
        'null',
        'minus',
        'zero',
        'one',
        'ten',
        'empty',
        'percent',
        'percents',
        'hundred',
        'upper',
        'nul',
        'nulc',
        'under',
        'abc',
        'abd',
        'axb',
        'euro',
        'replacement',
        'emoji',
        'no',
        'yes',
      ];
      beforeEach(async () => {
        await apply(...Object.entries(VALUES).map(([id, value]) => put(id, value === undefined ? {} : { value })));
      });

      it('sorts null and absent, numbers, strings by code point, false, true; and the other way', async () => {
        expect(await idsOf({ sort: { field: 'value' } })).toEqual(ORDER);
        const nullsLast = [...ORDER].reverse();
        expect(await idsOf({ sort: { field: 'value', descending: true } })).toEqual(nullsLast);
      });

      it.each([1, 2, 3, 7, 1000])('pages of %i give the same sequence as all at once', async (limit) => {
        for (const descending of [false, true]) {
          const order = descending ? [...ORDER].reverse() : ORDER;
          expect(await paged({ limit, sort: { field: 'value', descending } })).toEqual(order);
          const byId = Object.keys(VALUES).sort();
          expect(await paged({ limit, sort: { field: 'id', descending } })).toEqual(descending ? byId.reverse() : byId);
        }
      });

      it('orders ties by id in the direction of the sort, also from page to page', async () => {
        await apply(...Array.from({ length: 9 }, (_, i) => put(`t${i}`, { age: i < 5 ? 1 : 2, city: 'Riga' })));
        const where: Condition[] = [{ field: 'city', equals: 'Riga' }];
        expect(await paged({ limit: 2, where, sort: { field: 'age' } })).toEqual([
          't0',
          't1',
          't2',
          't3',
          't4',
          't5',
          't6',
          't7',
          't8',
        ]);
        expect(await paged({ limit: 4, where, sort: { field: 'age', descending: true } })).toEqual([
          't8',
          't7',
          't6',
          't5',
          't4',
          't3',
          't2',
          't1',
          't0',
        ]);
        expect(await paged({ limit: 2, where })).toEqual(['t0', 't1', 't2', 't3', 't4', 't5', 't6', 't7', 't8']);
      });

      const cases: [string, Condition, string[]][] = [
        ['equality with null finds null and absent', { field: 'value', equals: null }, ['absent', 'null']],
        ['1 is not true', { field: 'value', equals: 1 }, ['one']],
        ['true is not 1', { field: 'value', equals: true }, ['yes']],
        ['"1000" is not 1000', { field: 'value', equals: '1000' }, ['hundred']],
        ['case counts', { field: 'value', equals: 'abc' }, ['abc']],
        ['a text is not cut at NUL', { field: 'value', equals: 'a\0b' }, ['nul']],
        ['a prefix with %', { field: 'value', prefix: '100%' }, ['percent', 'percents']],
        ['a prefix with _', { field: 'value', prefix: 'a_' }, ['under']],
        ['a prefix', { field: 'value', prefix: 'ab' }, ['abc', 'abd']],
        ['a prefix with NUL', { field: 'value', prefix: 'a\0' }, ['nul', 'nulc']],
        ['the empty prefix finds every string and nothing else', { field: 'value', prefix: '' }, ORDER.slice(6, 20)],
        ['a prefix of the last code units', { field: 'value', prefix: '\uffff' }, ['replacement']],
        ['a prefix of an emoji', { field: 'value', prefix: '😀' }, ['emoji']],
        ['a range of numbers, low end in and high end out', { field: 'value', from: 0, below: 10 }, ['zero', 'one']],
        ['numbers from', { field: 'value', from: 1 }, ['one', 'ten']],
        ['numbers below, without null', { field: 'value', below: 1 }, ['minus', 'zero']],
        ['strings from', { field: 'value', from: 'axb' }, ['axb', 'euro', 'replacement', 'emoji']],
        ['strings below', { field: 'value', below: '1000' }, ['empty', 'percent', 'percents']],
        ['booleans from', { field: 'value', from: true }, ['yes']],
        ['booleans below', { field: 'value', below: true }, ['no']],
        ['an empty range', { field: 'value', from: 5, below: 5 }, []],
      ];
      it.each(cases)('%s', async (_, condition, expected) => {
        expect(await idsOf({ where: [condition], sort: { field: 'value' } })).toEqual(expected);
        expect(await paged({ where: [condition], sort: { field: 'value' }, limit: 1 })).toEqual(expected);
        expect((await idsOf({ where: [condition] })).sort()).toEqual([...expected].sort());
      });

      it('the id can be compared, ranged and prefixed', async () => {
        expect(await idsOf({ where: [{ field: 'id', equals: 'zero' }] })).toEqual(['zero']);
        expect(await idsOf({ where: [{ field: 'id', prefix: 'percent' }] })).toEqual(['percent', 'percents']);
        expect(await idsOf({ where: [{ field: 'id', from: 'u', below: 'yes' }] })).toEqual(['under', 'upper']);
      });

      it('all conditions must hold', async () => {
        await apply(
          put('p', { age: 5, city: 'Riga' }),
          put('q', { age: 6, city: 'Riga' }),
          put('r', { age: 6, city: 'Oslo' }),
        );
        expect(
          await idsOf({
            where: [
              { field: 'age', from: 6 },
              { field: 'city', equals: 'Riga' },
            ],
          }),
        ).toEqual(['q']);
        expect(
          await idsOf({
            where: [
              { field: 'age', from: 5 },
              { field: 'age', below: 6 },
            ],
          }),
        ).toEqual(['p']);
      });

      it('a page at the end says so, also when it is full', async () => {
        expect((await store.find(LIVE, 'people', { limit: ORDER.length })).next).toBeNull();
        expect((await store.find(LIVE, 'people', { limit: ORDER.length - 1 })).next).not.toBeNull();
        expect(await store.find(LIVE, 'notes', { limit: 1 })).toEqual({ documents: [], next: null });
      });

      it('documents put before the cursor do not shift the next page', async () => {
        const first = await store.find(LIVE, 'people', { limit: 3 });
        await apply(put('a0', {}), put('a1', {}));
        const second = await store.find(LIVE, 'people', { limit: 3, cursor: first.next ?? '' });
        expect(second.documents.map(({ id }) => id)).toEqual(Object.keys(VALUES).sort().slice(3, 6));
      });

      const tampered = (text: string): string => Buffer.from(text).toString('base64url');
      it.each([
        ['limit 0', { limit: 0 }],
        ['limit 1001', { limit: 1001 }],
        ['a fraction', { limit: 1.5 }],
        [
          'a field that is not declared',
          { limit: 1, where: [{ field: 'x"); DROP TABLE generations; --', equals: 1 }] },
        ],
        ['a sort that is not declared', { limit: 1, sort: { field: 'body' } }],
        ['an object to compare with', { limit: 1, where: [{ field: 'age', equals: {} }] }],
        ['infinity', { limit: 1, where: [{ field: 'age', from: Infinity }] }],
        ['a range without ends', { limit: 1, where: [{ field: 'age' }] }],
        ['ends of two types', { limit: 1, where: [{ field: 'age', from: 1, below: 'x' }] }],
        ['a number as an id', { limit: 1, where: [{ field: 'id', equals: 5 }] }],
        ['a lone surrogate', { limit: 1, where: [{ field: 'city', prefix: '\udc00' }] }],
        ['a cursor that is no base64url', { limit: 1, cursor: '***' }],
        ['an empty cursor', { limit: 1, cursor: '' }],
        ['a cursor of other JSON', { limit: 1, cursor: tampered('{"a":1}') }],
        ['a cursor with an object', { limit: 1, cursor: tampered('["+id",{"a":1},"x"]') }],
        ['a cursor with another order', { limit: 1, cursor: tampered('["-id",null,"x"]') }],
        ['a cursor without an id', { limit: 1, cursor: tampered('["+id",null,""]') }],
        ['a cursor with blanks', { limit: 1, cursor: tampered('["+id", null, "x"]') }],
      ])('refuses %s with INVALID_INPUT', async (_, options) => {
        const failure = await store
          .find(LIVE, 'people', options as unknown as FindOptions)
          .catch((error: unknown) => error);
        expect(failure).toBeInstanceOf(MaceError);
        expect((failure as MaceError).code).toBe('INVALID_INPUT');
      });
    });

    describe('generations', () => {
      const SCRATCH: Generation = { projection: 'people', name: 'scratch_1' };

      it('stand beside each other untouched, and one is dropped without the other', async () => {
        await apply(put('a', { in: 'live' }));
        await store.prepare(SCRATCH, [PEOPLE, NOTES]);
        const from = await store.claim(SCRATCH);
        await store.apply(SCRATCH, { changes: [put('a', { in: 'scratch' })], from, to: '9' });
        expect(await store.generations('people')).toEqual([LIVE, SCRATCH]);
        expect(await store.generations('other')).toEqual([]);
        expect(await store.generations()).toEqual([LIVE, SCRATCH]);
        expect(await bodyOf('a')).toEqual({ in: 'live' });
        await store.drop(SCRATCH);
        await store.drop(SCRATCH);
        expect(await store.generations('people')).toEqual([LIVE]);
        expect(await store.checkpoint(SCRATCH)).toBeNull();
        expect(await bodyOf('a')).toEqual({ in: 'live' });
      });

      it('made again after a drop begins empty', async () => {
        await apply(put('a', {}));
        await store.drop(LIVE);
        await store.prepare(LIVE, [PEOPLE]);
        expect(await store.claim(LIVE)).toEqual({ position: '0', epoch: 1 });
        expect(await bodyOf('a')).toBeNull();
        expect(await store.count(LIVE, 'people')).toBe(0);
      });

      it('prepared again with the same definition keeps everything; with another it is refused', async () => {
        await apply(put('a', {}));
        await store.prepare(LIVE, [NOTES, { name: 'people', indexes: ['value', 'city', 'age'] }]);
        expect(await store.count(LIVE, 'people')).toBe(1);
        await expect(store.prepare(LIVE, [PEOPLE])).rejects.toThrow(/needs a new version/);
        await expect(store.prepare(LIVE, [{ ...PEOPLE, indexes: ['age'] }, NOTES])).rejects.toThrow(
          ReadStoreDefinitionError,
        );
      });

      it.each([
        ['a projection called a"b', { projection: 'a"b', name: 'v1' }, [NOTES]],
        ['a generation called v1;--', { projection: 'a', name: 'v1;--' }, [NOTES]],
        ['a collection called Notes', { projection: 'a', name: 'v1' }, [{ name: 'Notes', indexes: [] }]],
        ["an index called x'y", { projection: 'a', name: 'v1' }, [{ name: 'notes', indexes: ["x'y"] }]],
        ['an index called id', { projection: 'a', name: 'v1' }, [{ name: 'notes', indexes: ['id'] }]],
        ['an index called __proto__', { projection: 'a', name: 'v1' }, [{ name: 'notes', indexes: ['__proto__'] }]],
        ['an index twice', { projection: 'a', name: 'v1' }, [{ name: 'notes', indexes: ['x', 'x'] }]],
        ['a collection twice', { projection: 'a', name: 'v1' }, [NOTES, NOTES]],
        [
          '17 indexes',
          { projection: 'a', name: 'v1' },
          [{ name: 'notes', indexes: Array.from({ length: 17 }, (_, i) => `f${i}`) }],
        ],
      ])('refuses %s', async (_, generation, collections) => {
        await expect(store.prepare(generation, collections)).rejects.toThrow(ReadStoreDefinitionError);
      });
    });

    describe('the digest', () => {
      it('is the SHA-256 of names, ids and canonical bodies in order', async () => {
        await apply(put('😀', {}), put('\uffff', { b: 1, a: '"' }), put('z', { x: 1.5 }), {
          op: 'put',
          collection: 'notes',
          id: 'n',
          body: {},
        });
        const text = 'notes\n"n"{}\npeople\n"z"{"x":1.5}\n"\uffff"{"a":"\\"","b":1}\n"😀"{}\n';
        expect(await store.digest(LIVE)).toEqual({ digest: sha256Hex(text), position: '1', documents: 4 });
      });

      it('does not depend on the way to the same documents, and tells different ones apart', async () => {
        await apply(put('a', { x: 1, y: 2 }), put('b', {}));
        const { digest } = await store.digest(LIVE);
        await apply(remove('a'), remove('b'), put('c', {}));
        expect((await store.digest(LIVE)).digest).not.toBe(digest);
        await apply(remove('c'), put('b', {}), merge('a', { y: 2 }), merge('a', { x: 1 }));
        expect((await store.digest(LIVE)).digest).toBe(digest);
      });

      it('is of one moment: its position tells what it holds while batches go on', async () => {
        const expected = new Map<string, string>();
        const other: Generation = { projection: 'people', name: 'other' };
        await store.prepare(other, [PEOPLE, NOTES]);
        let from = await store.claim(other);
        for (let i = 1; i <= 20; i++) {
          await store.apply(other, { changes: [put(`d${i}`, { i })], from, to: String(i) });
          from = { ...from, position: String(i) };
          expected.set(String(i), (await store.digest(other)).digest);
        }
        const writing = (async () => {
          for (let i = 1; i <= 20; i++) await apply(put(`d${i}`, { i }));
        })();
        const { digest, position } = await store.digest(LIVE);
        if (position !== '0') expect(digest).toBe(expected.get(position));
        await writing;
        expect((await store.digest(LIVE)).digest).toBe(expected.get('20'));
      });
    });

    it('a closed store says so, and closing again is no error', async () => {
      await store.close();
      await store.close();
      await expect(store.get(LIVE, 'people', 'a')).rejects.toThrow(ReadStoreUnavailableError);
      await expect(store.apply(LIVE, { changes: [], from: at, to: '1' })).rejects.toThrow(ReadStoreUnavailableError);
    });

    it('what was kept is there after the store was opened again', async () => {
      if (!under.reopen) return;
      await apply(put('a', { age: 1, city: 'Riga' }), merge('b', { age: 2 }));
      await store.apply(LIVE, { changes: [], from: at, to: at.position, runnerState: { why: 'kept' } });
      const digest = await store.digest(LIVE);
      store = await under.reopen();
      expect(await store.digest(LIVE)).toEqual(digest);
      expect(await store.runnerState(LIVE)).toEqual({ why: 'kept' });
      expect(await store.claim(LIVE)).toEqual({ position: '1', epoch: 2 });
      expect(await idsOf({ where: [{ field: 'city', equals: 'Riga' }] })).toEqual(['a']);
      await store.prepare(LIVE, [PEOPLE, NOTES]);
    });
  });
}

/** Changes of every kind on few documents, the same each time. */
function mixedChanges(count: number): Change[] {
  return Array.from({ length: count }, (_, i): Change => {
    const [id, collection] = [`d${(i * 7) % 23}`, i % 3 === 0 ? 'notes' : 'people'];
    if (i % 5 === 4) return { op: 'delete', collection, id };
    if (i % 5 === 1 || i % 5 === 3) return { op: 'merge', collection, id, fields: { [`f${i % 4}`]: i, age: i % 10 } };
    return { op: 'put', collection, id, body: { i, city: `c${i % 6}` } };
  });
}
