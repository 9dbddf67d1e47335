import { type StatedResult, statedResult } from './stated-result.js';

describe('what an answer says the result is', () => {
  it.each<[string, StatedResult]>([
    ['Perhaps 4.', { kind: 'number', text: '4' }],
    ['Perhaps -4.5, that is.', { kind: 'number', text: '-4.5' }],
    ['Some 1,600 or so', { kind: 'number', text: '1600' }],
    ['It is 2, I think.', { kind: 'number', text: '2' }],
    ['2 and 2 make 4, and 4 it is.', { kind: 'number', text: '4' }],
    ['2+2 is 5, not 4.', { kind: 'unclear' }],
    ['It is four.', { kind: 'unclear' }],
    ['I can only say that it is a number.', { kind: 'none' }],
    ['It is a number.', { kind: 'none' }],
    ['2 + 2 cannot be told.', { kind: 'none' }],
    ['Sums of that kind lie beyond me.', { kind: 'none' }],
    ['The product of chance.', { kind: 'none' }],
    ['Bananas are yellow.', { kind: 'unrelated' }],
    ['', { kind: 'unrelated' }],
  ])('%s', (answer, said) => {
    expect(statedResult('What is 2 + 2?', answer)).toEqual(said);
  });
});
