import { trendOf } from './trend.js';

const at = (atMs: number, position: string, head: string) => ({
  atMs,
  position,
  head,
  lagEvents: Number(BigInt(head) - BigInt(position)),
});

describe('the trend of a lag', () => {
  it('is told from two answers on, with when it will have caught up', () => {
    expect(trendOf([at(0, '100', '200')])).toBeUndefined();
    expect(trendOf([at(0, '100', '200'), at(2_000, '180', '220')])).toEqual({
      lag: 'falling',
      rate: 40,
      growth: 10,
      etaSeconds: 40 / 30,
    });
  });

  it('promises no end where the log grows faster, and needs none where nothing is left', () => {
    expect(trendOf([at(0, '100', '200'), at(1_000, '110', '250')])).toMatchObject({ lag: 'rising', etaSeconds: null });
    expect(trendOf([at(0, '100', '100'), at(1_000, '110', '110')])).toMatchObject({ lag: 'steady', etaSeconds: null });
  });

  it('promises no end to what stands still since the answer before, as where it has halted', () => {
    expect(trendOf([at(0, '100', '200'), at(1_000, '180', '200'), at(2_000, '180', '200')])).toEqual({
      lag: 'steady',
      rate: 0,
      growth: 0,
      etaSeconds: null,
    });
  });

  it('takes positions that no float holds', () => {
    const [first, last] = ['9007199254740993', '9007199254740994'];
    expect(trendOf([at(0, first, last), at(1_000, last, last)])).toMatchObject({ rate: 1, growth: 0 });
  });
});
