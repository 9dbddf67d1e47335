import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { canonicalize } from '#lib/kernel';
import { classifyQuery, confusion, type LabelledQuery } from './qcp.js';
import { ROUTER_DEFAULTS } from './router-constants.js';

const corpus = JSON.parse(
  readFileSync(join(process.cwd(), 'libs/routing/src/domain/qcp-corpus.json'), 'utf8'),
) as readonly LabelledQuery[];

const primary = (query_text: string, has_user = true, names_fact = false): string | undefined =>
  classifyQuery({ query_text, has_user, names_fact: () => names_fact }).intent_tags[0];

describe('the query classifier', () => {
  it.each(
    corpus.map(
      ({ query, intent, has_user = true, names_fact = false }) => [query, intent, has_user, names_fact] as const,
    ),
  )('takes %j for %s (user: %s, a known fact: %s)', (query, intent, hasUser, namesFact) => {
    expect(primary(query, hasUser, namesFact)).toBe(intent);
  });

  it('is held to a corpus of at least 160 different queries, every intent among them', () => {
    expect(
      new Set(corpus.map(({ query, has_user, names_fact }) => `${query} ${has_user ?? true} ${names_fact ?? false}`))
        .size,
    ).toBe(corpus.length);
    expect(corpus.length).toBeGreaterThanOrEqual(160);
    expect(new Set(corpus.map(({ intent }) => intent)).size).toBe(Object.keys(ROUTER_DEFAULTS.intents).length);
  });

  it('does not care for case, spaces, courtesies and final punctuation', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...corpus),
        fc.constantFrom('', '  ', 'Please ', 'Hey, '),
        fc.constantFrom('', ' ', '.', '?'),
        fc.boolean(),
        ({ query, intent, has_user = true, names_fact = false }, before, after, upper) => {
          const cased = upper ? query.toUpperCase() : query;
          expect(primary(before + cased + after, has_user, names_fact)).toBe(intent);
        },
      ),
    );
  });

  it('lists every intent that holds, in order of precedence', () => {
    const { intent_tags } = classifyQuery({ query_text: 'Remember that my favorite color is blue', has_user: true });
    expect(intent_tags).toEqual(['command', 'profile']);
    expect(classifyQuery({ query_text: 'verify that 2+2=4', has_user: true }).intent_tags).toEqual([
      'verification',
      'math',
    ]);
  });

  it('asks whether a phrase is a known fact only where its words hold no intent', () => {
    const names_fact = jest.fn(() => true);
    for (const query_text of ['2+2', 'what is pi', 'remember that my cat is Tom'])
      classifyQuery({ query_text, has_user: true, names_fact });
    expect(names_fact).not.toHaveBeenCalled();
    expect(classifyQuery({ query_text: 'OHM’S LAW', has_user: false, names_fact }).intent_tags).toEqual(['fact']);
    expect(names_fact).toHaveBeenCalledWith('OHM’S LAW');
  });

  it('reads 8,000 characters of anything in time that grows with them', () => {
    for (const piece of ['1-', '7 x ', 'my ', 'http://', 'what is ', '(', 'one ', 'how to ', '1/', 'a plan ', '.5 '])
      expect(primary(piece.repeat(8000 / piece.length))).toBeDefined();
  });

  it('answers any text with canonical data, without a word of the text', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string({ unit: 'grapheme' }), fc.string()), fc.boolean(), (query_text, has_user) => {
        const classified = classifyQuery({ query_text, has_user });
        expect(classified.intent_tags.length).toBeGreaterThan(0);
        expect(JSON.parse(canonicalize(classified))).toEqual(classified);
        expect(Object.values(classified.features).every((value) => typeof value !== 'string')).toBe(true);
      }),
    );
  });

  it('reads urgency and depth from the words', () => {
    const classified = (query_text: string) => classifyQuery({ query_text, has_user: true });
    expect(classified('what is 2+2, I need it ASAP').urgency).toBe('high');
    expect(classified('what is entropy? no rush').urgency).toBe('low');
    expect(classified('what is entropy?')).toMatchObject({ urgency: 'normal', depth_level: 1 });
    expect(classified('What is my name?').depth_level).toBe(0);
    expect(classified('plan my week').depth_level).toBe(2);
  });

  it('counts what people say against what it says', () => {
    expect(
      confusion([
        { query: '2+2', intent: 'math' },
        { query: 'hello', intent: 'fact' },
      ]),
    ).toEqual({
      total: 2,
      right: 1,
      table: { math: { math: 1 }, fact: { general: 1 } },
      misses: [{ query: 'hello', expected: 'fact', given: 'general' }],
    });
  });
});
