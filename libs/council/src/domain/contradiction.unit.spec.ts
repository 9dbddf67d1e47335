import { contradictsItself } from './contradiction.js';

describe('a contradiction in plain form', () => {
  it.each([
    'The capital of France is Paris, and the capital of France is not Paris.',
    'The sky is blue. Grass is green.\nA sky is not blue!',
    "Bats are birds but bats aren't birds.",
    'Rome was not a village. Rome was a village.',
    'Pi isn’t rational; pi is rational.',
    '2 + 2 = 4. 2 + 2 = 5.',
    '2 + 2 = 5, and 2+2 = 4',
  ])('is found: %s', (text) => {
    expect(contradictsItself(text)).toBe(true);
  });

  it.each([
    'The sky is blue. The sky is not green.',
    'A whale is not a fish. A whale is a mammal.',
    'If it rains, the street is wet. If not, the street is not wet.',
    'Some say the earth is flat. The earth is not flat.',
    '“The earth is flat” is an old error. The earth is not flat.',
    'Is the earth flat? The earth is not flat.',
    'It is cold there. It is not cold here.',
    'It is cold. It is not cold.',
    'The door was open. The door is not open.',
    'The cat is on the mat, and the dog is not on the mat.',
    '2 + 2 = 4, and 2 + 3 = 5.',
    '10 / 3 = 3.33. 10 / 3 = 3.3333',
    'x = 2, x = 3',
    'not n’t = = is',
    '',
  ])('is not seen in: %s', (text) => {
    expect(contradictsItself(text)).toBe(false);
  });
});
