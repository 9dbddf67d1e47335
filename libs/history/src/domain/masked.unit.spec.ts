import { masked } from './masked.js';

const sealed = (ct: string) => ({ $enc: { kid: 'k', iv: 'i', ct } });

describe('what a diff shows of personal fields', () => {
  it('is a mark that differs where the stored text does, at any depth', () => {
    const [one, other] = [masked({ a: [sealed('x')] }), masked({ a: [sealed('y')] })];
    expect(one).toEqual({ a: [expect.stringMatching(/^\[personal [0-9a-f]{8}\]$/)] });
    expect(other).not.toEqual(one);
    expect(masked({ a: [sealed('x')] })).toEqual(one);
  });

  it('leaves what is nobody’s as it is', () => {
    expect(masked({ a: 1, b: [null, 'x', { c: true }] })).toEqual({ a: 1, b: [null, 'x', { c: true }] });
  });
});
