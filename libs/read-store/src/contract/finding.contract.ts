import { MaceError } from '#lib/kernel';

import type { Condition, FindOptions } from '../port.js';
import { LIVE, put, type Trial } from './trial.contract.js';

/** What a query gives, in which order, and page by page. */
export function describeFinding(trial: Trial): void {
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
      await trial.apply(...Object.entries(VALUES).map(([id, value]) => put(id, value === undefined ? {} : { value })));
    });

    it('sorts null and absent, numbers, strings by code point, false, true; and the other way', async () => {
      expect(await trial.idsOf({ sort: { field: 'value' } })).toEqual(ORDER);
      const nullsLast = [...ORDER].reverse();
      expect(await trial.idsOf({ sort: { field: 'value', descending: true } })).toEqual(nullsLast);
    });

    it.each([1, 2, 3, 7, 1000])('pages of %i give the same sequence as all at once', async (limit) => {
      for (const descending of [false, true]) {
        const order = descending ? [...ORDER].reverse() : ORDER;
        expect(await trial.paged({ limit, sort: { field: 'value', descending } })).toEqual(order);
        const byId = Object.keys(VALUES).sort();
        expect(await trial.paged({ limit, sort: { field: 'id', descending } })).toEqual(
          descending ? byId.reverse() : byId,
        );
      }
    });

    it('orders ties by id in the direction of the sort, also from page to page', async () => {
      await trial.apply(...Array.from({ length: 9 }, (_, i) => put(`t${i}`, { age: i < 5 ? 1 : 2, city: 'Riga' })));
      const where: Condition[] = [{ field: 'city', equals: 'Riga' }];
      expect(await trial.paged({ limit: 2, where, sort: { field: 'age' } })).toEqual([
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
      expect(await trial.paged({ limit: 4, where, sort: { field: 'age', descending: true } })).toEqual([
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
      expect(await trial.paged({ limit: 2, where })).toEqual(['t0', 't1', 't2', 't3', 't4', 't5', 't6', 't7', 't8']);
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
      expect(await trial.idsOf({ where: [condition], sort: { field: 'value' } })).toEqual(expected);
      expect(await trial.paged({ where: [condition], sort: { field: 'value' }, limit: 1 })).toEqual(expected);
      expect((await trial.idsOf({ where: [condition] })).sort()).toEqual([...expected].sort());
    });

    it('the id can be compared, ranged and prefixed', async () => {
      expect(await trial.idsOf({ where: [{ field: 'id', equals: 'zero' }] })).toEqual(['zero']);
      expect(await trial.idsOf({ where: [{ field: 'id', prefix: 'percent' }] })).toEqual(['percent', 'percents']);
      expect(await trial.idsOf({ where: [{ field: 'id', from: 'u', below: 'yes' }] })).toEqual(['under', 'upper']);
    });

    it('all conditions must hold', async () => {
      await trial.apply(
        put('p', { age: 5, city: 'Riga' }),
        put('q', { age: 6, city: 'Riga' }),
        put('r', { age: 6, city: 'Oslo' }),
      );
      expect(
        await trial.idsOf({
          where: [
            { field: 'age', from: 6 },
            { field: 'city', equals: 'Riga' },
          ],
        }),
      ).toEqual(['q']);
      expect(
        await trial.idsOf({
          where: [
            { field: 'age', from: 5 },
            { field: 'age', below: 6 },
          ],
        }),
      ).toEqual(['p']);
    });

    it('a page at the end says so, also when it is full', async () => {
      expect((await trial.store.find(LIVE, 'people', { limit: ORDER.length })).next).toBeNull();
      expect((await trial.store.find(LIVE, 'people', { limit: ORDER.length - 1 })).next).not.toBeNull();
      expect(await trial.store.find(LIVE, 'notes', { limit: 1 })).toEqual({ documents: [], next: null });
    });

    it('documents put before the cursor do not shift the next page', async () => {
      const first = await trial.store.find(LIVE, 'people', { limit: 3 });
      await trial.apply(put('a0', {}), put('a1', {}));
      const second = await trial.store.find(LIVE, 'people', { limit: 3, cursor: first.next ?? '' });
      expect(second.documents.map(({ id }) => id)).toEqual(Object.keys(VALUES).sort().slice(3, 6));
    });

    it('a cursor is of the form that the next cases take one from', async () => {
      const { next, documents } = await trial.store.find(LIVE, 'people', { limit: 1 });
      expect(next).toBe(tampered(`["people +id",null,"${documents[0]!.id}"]`));
    });

    const tampered = (text: string): string => Buffer.from(text).toString('base64url');
    it.each([
      ['limit 0', { limit: 0 }],
      ['limit 1001', { limit: 1001 }],
      ['a fraction', { limit: 1.5 }],
      ['a field that is not declared', { limit: 1, where: [{ field: 'x"); DROP TABLE generations; --', equals: 1 }] }],
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
      ['a cursor with an object', { limit: 1, cursor: tampered('["people +id",{"a":1},"x"]') }],
      ['a cursor with another order', { limit: 1, cursor: tampered('["people -id",null,"x"]') }],
      ['a cursor of another collection', { limit: 1, cursor: tampered('["notes +id",null,"x"]') }],
      ['a cursor without an id', { limit: 1, cursor: tampered('["people +id",null,""]') }],
      ['a cursor with blanks', { limit: 1, cursor: tampered('["people +id", null, "x"]') }],
    ])('refuses %s with INVALID_INPUT', async (_, options) => {
      const failure = await trial.store
        .find(LIVE, 'people', options as unknown as FindOptions)
        .catch((error: unknown) => error);
      expect(failure).toBeInstanceOf(MaceError);
      expect((failure as MaceError).code).toBe('INVALID_INPUT');
    });
  });
}
