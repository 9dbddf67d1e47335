import { claimAnswer, parseClaim } from './claim.js';
import { verifyMathAnswer } from './math/index.js';

function answer(query: string): string {
  const claim = parseClaim(query);
  if (claim === null) return 'declined';
  const { verdict } = verifyMathAnswer(query, claimAnswer(claim, true));
  return verdict === 'correct' || verdict === 'incorrect' ? claimAnswer(claim, verdict === 'correct') : 'declined';
}

describe('a claim about a calculation', () => {
  it.each([
    ['is it true that 2+2 != 4', 'No, 2+2 is 4.'],
    ['is it true that 2+2 !== 4', 'No, 2+2 is 4.'],
    ['is it true that 2+2 ≠ 5?', 'Yes, 2+2 is not 5.'],
    ['is it true that 2+2 <> 5?', 'Yes, 2+2 is not 5.'],
    ['verify that 2+2 is not 5', 'Yes, 2+2 is not 5.'],
    ['verify that 2+2 does not equal 4', 'No, 2+2 is 4.'],
    ['check 3! = 6', 'Yes, 3! is 6.'],
    ['is this correct: 3*3=9', 'Yes, 3*3 is 9.'],
    ['double check that 2+2=5', 'No, 2+2 is not 5.'],
    ['true or false: 7*8=54', 'No, 7*8 is not 54.'],
    ['check 3! = 7', 'No, 3! is not 7.'],
    ['is it true that 2 < 3', 'Yes, 2 is less than 3.'],
    ['is it true that 3 <= 2', 'No, 3 is greater than 2.'],
    ['is it true that 3 ≤ 3', 'Yes, 3 is at most 3.'],
    ['is it true that pi > 22/7', 'No, pi is not greater than 22/7.'],
    ['is it true that 3 ≥ 4', 'No, 3 is less than 4.'],
    ['is it true that 10 is greater than 9?', 'Yes, 10 is greater than 9.'],
    ['verify that 2^10 is at least 1,024', 'Yes, 2^10 is at least 1,024.'],
    ['Verify that 12.5% of 80 is 10.', 'Yes, 12.5% of 80 is 10.'],
    ['verify that 50 is 20% of 250', 'Yes, 50 is 20% of 250.'],
    ['verify that 50 is 10% more than 45', 'No, 50 is not 10% more than 45.'],
    ['verify that 1/3 = 0.333', 'No, 1/3 is not 0.333.'],
    ['verify that 1/3 is about 0.3333', 'Yes, 1/3 is about 0.3333.'],
    ['verify that 1/3 is about 0.3334', 'No, 1/3 is not about 0.3334.'],
    ['is it true that 0.1+0.2 = 0.30000000000000004', 'No, 0.1+0.2 is not 0.30000000000000004.'],
    ['verify that sqrt(2)*sqrt(2) == 2', 'Yes, sqrt(2)*sqrt(2) is 2.'],
    ['verify that the derivative of x^2 is 2x', 'Yes, the derivative of x^2 is 2x.'],
    ['verify that the derivative of x^2 is not x', 'Yes, the derivative of x^2 is not x.'],
    ['verify that the solution of 2x = 8 is x = 4', 'Yes, the solution of 2x = 8 is x = 4.'],
    ['verify that the solution of 2x = 8 is x = 5', 'No, the solution of 2x = 8 is not x = 5.'],
  ])('%s -> %s', (query, expected) => {
    expect(answer(query)).toBe(expected);
  });

  it.each([
    'check 3!=6',
    'check 3!= 6',
    'check 5 ! = 120',
    'verify 1 < 2 < 3',
    'verify 1 = 1 = 1',
    'verify 5 => 3',
    'verify 5 =< 3',
    'is it true that 1/0 = 1/0',
    'is it true that the sky is blue',
    'is it true that x = 3',
    'is it true that 10/2% of 50 = 2.5',
    'is it true that 9^9^9^9 > 1',
    `verify that ${'1+'.repeat(600)}1 = 601`,
    'verify that = 4',
  ])('%s is declined, for it cannot be computed or can be read in two ways', (query) => {
    expect(answer(query)).toBe('declined');
  });

  it('judges the answer, not only the claim', () => {
    expect(verifyMathAnswer('is it true that 2+2 != 4', 'Yes, 2+2 is not 4.').verdict).toBe('incorrect');
    expect(verifyMathAnswer('is it true that 2+2 != 4', 'No, 2+2 is 4.').verdict).toBe('correct');
    expect(verifyMathAnswer('is it true that 2+2 = 4', 'Perhaps.').verdict).toBe('unverifiable');
  });
});
