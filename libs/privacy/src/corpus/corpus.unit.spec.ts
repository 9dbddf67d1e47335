import { CORPUS_PARTS, readCorpus } from './corpus.js';
import { CORPUS_FLOORS, measureCorpus } from './measure.js';
import { CATEGORY_OF } from '../domain/pii-types.js';
import { detect } from '../detection.js';
import type { LabelledText } from './corpus.js';

const texts = CORPUS_PARTS.flatMap(readCorpus);

describe('the labelled corpus', () => {
  it('has at least 400 personal texts and 600 innocent ones, each once', () => {
    expect(texts.filter(({ findings }) => findings.length > 0).length).toBeGreaterThanOrEqual(400);
    expect(texts.filter(({ findings }) => findings.length === 0).length).toBeGreaterThanOrEqual(600);
    const seen = texts.map(({ text, context = '' }) => `${context}\n${text}`);
    expect(seen.filter((text, i) => seen.indexOf(text) !== i)).toEqual([]);
  });

  it('holds five texts or more of every type, and labels that stand in their text, in order', () => {
    const labelled = new Map(Object.keys(CATEGORY_OF).map((type) => [type, 0]));
    for (const { text, findings } of texts) {
      let from = 0;
      for (const { type, text: part } of findings) {
        expect(part).not.toBe('');
        expect(text.indexOf(part, from)).toBeGreaterThanOrEqual(0);
        from = text.indexOf(part, from) + part.length;
        labelled.set(type, (labelled.get(type) ?? NaN) + 1);
      }
    }
    expect([...labelled].filter(([, count]) => !(count >= 5))).toEqual([]);
  });

  it('is found with the recall and precision of the floors, in all and in each type', () => {
    const { below, types } = measureCorpus(detect, texts);
    expect(below).toEqual([]);
    expect(Object.keys(types).sort()).toEqual(Object.keys(CATEGORY_OF).sort());
  });

  it('has floors that may not fall', () => {
    expect(CORPUS_FLOORS).toEqual({ recall: 0.97, precision: 0.98, each: 0.9 });
  });
});

describe('measuring', () => {
  const labelled: readonly LabelledText[] = [
    { text: 'SSN 123-45-6789', findings: [{ type: 'us_ssn', text: '123-45-6789' }] },
    { text: 'nothing here', findings: [{ type: 'phone', text: 'here' }] },
    { text: 'write to jo@firm.com', findings: [] },
  ];

  it('counts a label that nothing holds as missed, and a finding that holds none as wrong', () => {
    const { all, types, misses } = measureCorpus(detect, labelled);
    expect(all).toEqual({ labels: 2, found: 1, wrong: 1, recall: 0.5, precision: 0.5 });
    expect(types['us_ssn']).toEqual({ labels: 1, found: 1, wrong: 0, recall: 1, precision: 1 });
    expect(misses).toEqual([
      { text: 'nothing here', type: 'phone', kind: 'missed', part: 'here' },
      { text: 'write to jo@firm.com', type: 'email', kind: 'wrong', part: 'jo@firm.com', rule: 'email.address' },
    ]);
  });

  it('does not count a finding that holds only a part of its label', () => {
    const [whole] = labelled;
    const half = measureCorpus((text) => detect(text).map((found) => ({ ...found, end: found.end - 1 })), [whole!]);
    expect(half.all).toMatchObject({ found: 0, wrong: 1 });
  });

  it('says what is below its floor, in all and by type', () => {
    const { below } = measureCorpus(() => [], labelled.slice(0, 1));
    expect(below).toEqual(['recall in all: 0 < 0.97', 'recall of us_ssn: 0 < 0.9']);
  });
});
