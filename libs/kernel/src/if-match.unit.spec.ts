import { type IfMatch, requireMatch } from './if-match.js';

function refusal(ifMatch: IfMatch, current: number | undefined): string {
  try {
    requireMatch({ ifMatch }, current);
    return 'matched';
  } catch (error) {
    return (error as Error).message;
  }
}

describe('a refusal for the revision', () => {
  it.each<[asked: IfMatch, told: string]>([
    [2, 'revision 2'],
    [[1, 2, 4], 'revision 1 or 2 or 4'],
    [[], 'no strong tag of this server'],
  ])('says what was asked for: %j', (asked, told) => {
    expect(refusal(asked, 3)).toContain(`If-Match asks for ${told}; the revision is 3`);
  });

  it('names three of many revisions, and how many more there are', () => {
    const many = Array.from({ length: 32 }, (_, n) => 100 + n);
    expect(refusal(many, 3)).toContain('revision 100 or 101 or 102 and 29 more; the revision is 3');
    expect(refusal(many, 131)).toBe('matched');
  });
});
