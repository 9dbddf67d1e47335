import { decisiveFindings } from './decisive.js';

const finding = (type: string, category: 'high' | 'medium' | 'low', start: number, end: number, at = '/0') => ({
  type,
  category,
  at,
  start,
  end,
});
const typesOf = (...findings: ReturnType<typeof finding>[]) =>
  decisiveFindings(findings).map((group) => group.map(({ type }) => type));

describe('decisive findings', () => {
  it('leave a low one out', () => {
    expect(typesOf(finding('first_name', 'low', 0, 3))).toEqual([]);
  });

  it('of one place are those of the highest category', () => {
    expect(typesOf(finding('phone', 'medium', 0, 12), finding('us_ssn', 'high', 2, 11))).toEqual([['us_ssn']]);
  });

  it('of one category in one place are readings of the same characters', () => {
    expect(typesOf(finding('pl_pesel', 'high', 0, 11), finding('de_tax_id', 'high', 0, 11))).toEqual([
      ['pl_pesel', 'de_tax_id'],
    ]);
  });

  it('of places apart are decided apart, the worst first', () => {
    expect(typesOf(finding('phone', 'medium', 0, 12), finding('us_ssn', 'high', 12, 23))).toEqual([
      ['us_ssn'],
      ['phone'],
    ]);
  });

  it('of different texts never meet', () => {
    expect(typesOf(finding('phone', 'medium', 0, 12, '/0'), finding('email', 'medium', 0, 12, '/1'))).toEqual([
      ['phone'],
      ['email'],
    ]);
  });
});
