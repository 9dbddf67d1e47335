import { createHash } from 'node:crypto';

import { GraphQLError } from 'graphql';

import { MaceError } from '#lib/kernel';

import { Documents, UnknownHashError } from './documents.js';

/** Where calls lie upon calls already, as they do in a server. */
function below<T>(calls: number, act: () => T): T {
  return calls === 0 ? act() : below(calls - 1, act);
}

function refusalOf(query: string): unknown {
  try {
    return new Documents(() => false).read({ query }, 'user_tuff');
  } catch (error) {
    return error;
  }
}

it.each(['[', '{a:'])('a document of values nested deeper than can be read is refused, and no fault: %s', (open) => {
  for (const calls of [0, 1_000, 3_000, 5_000]) {
    const refusal = below(calls, () => refusalOf(`{ __typename(a: ${open.repeat(630)}${'['.repeat(20)}) }`));
    expect([calls, refusal instanceof GraphQLError || refusal instanceof MaceError]).toEqual([calls, true]);
    const deeper = below(calls, () => refusalOf(`{ __typename(a: ${'['.repeat(1_950)}) }`));
    expect([calls, deeper instanceof GraphQLError || deeper instanceof MaceError]).toEqual([calls, true]);
  }
});

it('documents are kept by what they take: few long ones, and many short ones', () => {
  const kept = (length: number): number => {
    const documents = new Documents(() => false);
    const texts = Array.from({ length: 400 }, (_, i) => `{ a${i} ${' '.repeat(length)}}`);
    const read = texts.map((query) => documents.read({ query }, 'user_tuff'));
    return texts.filter((query, i) => documents.read({ query }, 'user_tuff') === read[i]).length;
  };
  expect(kept(10)).toBe(400);
  expect(kept(16_000)).toBeLessThan(16);
});

describe('a document that was sent with its hash', () => {
  const persisted = (text: string) => ({
    persistedQuery: { version: 1, sha256Hash: createHash('sha256').update(text).digest('hex') },
  });
  const documents = (): Documents => new Documents((text) => text.includes('123-45-6789'));
  const knows = (known: Documents, text: string, whose: string): boolean => {
    try {
      return known.read({ extensions: persisted(text) }, whose).text === text;
    } catch (error) {
      if (error instanceof UnknownHashError) return false;
      throw error;
    }
  };
  const sent = (text: string): Documents => {
    const known = documents();
    known.read({ query: text, extensions: persisted(text) }, 'user_tuff');
    return known;
  };

  afterEach(() => jest.useRealTimers());

  it.each(['query Q($key: String!) { a(key: $key) }', '{ a(first: 50) }'])(
    'is known to everybody, for as long as there is room, where it says nothing but what is asked for: %s',
    (text) => {
      jest.useFakeTimers();
      const known = sent(text);
      expect(known.read({ query: text }, 'user_eve').isOwn).toBe(false);
      jest.advanceTimersByTime(3_600_000);
      expect(knows(known, text, 'user_eve')).toBe(true);
    },
  );

  it.each([
    '{ ssn123_45_6789: a }',
    'query my_123_45_6789 { a }',
    'query Q($v123_45_6789: Int) { a(first: $v123_45_6789) }',
    '{ ...F123_45_6789 } fragment F123_45_6789 on Query { a }',
  ])('is known to nobody where a name that was chosen in it holds personal data in parts: %s', (text) => {
    const known = sent(text);
    expect(known.read({ query: text }, 'user_tuff').isOwn).toBe(true);
    expect([knows(known, text, 'user_tuff'), knows(known, text, 'user_eve')]).toEqual([false, false]);
  });

  it.each(['{ a(value: "blue") }', '{ a(value: """blue""") }', '{ a(value: 4915123) }', '{ a } # blue'])(
    'is known to its sender alone, and for half a minute, where somebody says something in it: %s',
    (text) => {
      jest.useFakeTimers();
      const known = sent(text);
      expect(known.read({ query: text }, 'user_tuff').isOwn).toBe(true);
      expect([knows(known, text, 'user_tuff'), knows(known, text, 'user_eve')]).toEqual([true, false]);
      jest.advanceTimersByTime(30_000);
      expect(knows(known, text, 'user_tuff')).toBe(false);
    },
  );

  it.each(['{ a(value: "123-45-6789") }', '{ a } # 123-45-6789'])(
    'is known to nobody where there is personal data in it: %s',
    (text) => {
      expect(knows(sent(text), text, 'user_tuff')).toBe(false);
    },
  );
});
