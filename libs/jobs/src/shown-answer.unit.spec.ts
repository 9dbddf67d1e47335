import type { Candidate } from '#lib/council';
import type { Json } from '#lib/kernel';

import { shownAnswer } from './shown-answer.js';
import { COLOR, MOMENT } from './testing/scripted-job.js';

const LAW = 'world/physics/ohms_law/statement';
const piece = (key: string, value: Json) => ({ key, revision: 2, value, timestamp: MOMENT });

function shown(
  text: string,
  evidence: Candidate['evidence'],
  query_text = 'What is it?',
  written: Parameters<typeof shownAnswer>[1] = null,
) {
  return shownAnswer({ query_text, agent_id: 'profile_agent', text, confidence: 0.9, evidence }, written);
}

describe('an answer that outside critics see', () => {
  it('holds the question, the answer, and what it relies on of what everybody may read', () => {
    expect(shown('V = I R', [piece(LAW, 'V = I R')], 'What is Ohm’s law?')).toEqual({
      kind: 'answer',
      question: 'What is Ohm’s law?',
      answer: 'V = I R',
      agent_id: 'profile_agent',
      confidence: 0.9,
      evidence: [{ key: LAW, revision: 2, value: 'V = I R' }],
      withheld_evidence: 0,
    });
  });

  it('holds nothing of what memory holds of a person: neither the value, wherever it stands, nor its key', () => {
    const told = shown('Your favorite color is blue; blue it is.', [piece(COLOR, 'blue')], 'Is it blue or bluest?');
    expect(told).toMatchObject({
      question: 'Is it [redacted:memory] or [redacted:memory]st?',
      answer: 'Your favorite color is [redacted:memory]; [redacted:memory] it is.',
      evidence: [],
      withheld_evidence: 1,
    });
    expect(JSON.stringify(told)).not.toMatch(/blue|user_tuff/);
  });

  it.each<[string, Json, string, string]>([
    ['numbers', 42, 'You are 42, not 421.', 'You are [redacted:memory], not 421.'],
    ['members', { city: 'Lyon', near: ['Vienne'] }, 'Lyon by Vienne', '[redacted:memory] by [redacted:memory]'],
    [
      'the longer of two that overlap',
      ['Ann', 'Ann Lee'],
      'Ann Lee and Ann',
      '[redacted:memory] and [redacted:memory]',
    ],
    ['another case', 'Blue Bird', 'BLUE BIRD, blue bird', '[redacted:memory], [redacted:memory]'],
    ['other spaces', 'Blue Bird', 'blue  \n bird; BlueBird', '[redacted:memory]; [redacted:memory]'],
    [
      'letters that are spaced out',
      'bluebird',
      'a Blue Bird, a b l u e b i r d.',
      'a [redacted:memory], a [redacted:memory].',
    ],
    ['what is not seen between letters', 'blue', 'bl\u00adue, b\u200blue', '[redacted:memory], [redacted:memory]'],
    ['other accents', 'Renée', 'RENEE, Rene\u0301e', '[redacted:memory], [redacted:memory]'],
    ['other letters for the same', 'Straße', 'STRASSE, ｓｔｒａｓｓｅ', '[redacted:memory], [redacted:memory]'],
    [
      'no end of a word with the beginning of the next',
      'rose',
      'the hero seats; a rosebush',
      'the hero seats; a [redacted:memory]bush',
    ],
    ['nothing of what is longer than a short one', 'Al', 'AL, all, a l', '[redacted:memory], all, [redacted:memory]'],
    ['one that another overlaps', ['blue bird', 'bird of prey'], 'a blue bird of prey', 'a [redacted:memory]'],
    ['nothing where there is nothing', null, 'null and void', 'null and void'],
  ])('takes out %s', (_, value, text, left) => {
    expect(shown(text, [piece(COLOR, value)]).answer).toBe(left);
  });

  it('holds nothing of what it asks to be kept of a person, and what it asks to be kept for everybody', () => {
    const query = 'Remember that it is blue';
    expect(shown('I keep blue.', [], query, { key: COLOR, value: 'blue' })).toMatchObject({
      question: 'Remember that it is [redacted:memory]',
      answer: 'I keep [redacted:memory].',
    });
    expect(shown('I keep blue.', [], query, { key: LAW, value: 'blue' })).toMatchObject({ question: query });
  });

  it('holds nothing that the detector finds, of the lowest category too, in no part of it', () => {
    const told = shown(
      'Write to jo.smith@gmail.com.',
      [piece(LAW, { said: '123-45-6789' })],
      'My name is Tuff, SSN 123-45-6789',
    );
    const text = JSON.stringify(told);
    expect(text).not.toMatch(/gmail|123-45-6789|Tuff/);
    expect(text).toContain('[redacted:us_ssn]');
  });
});
