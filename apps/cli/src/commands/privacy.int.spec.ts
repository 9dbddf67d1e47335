import { CATEGORY_OF, CORPUS_FLOORS, DETECTOR_VERSION } from '#lib/privacy';

import { mace } from '../testing/mace.js';

describe('mace privacy corpus', () => {
  it('prints a row for every type and one for all, and ends with 0', async () => {
    const ended = await mace('privacy', 'corpus');
    expect([ended.code, ended.err]).toEqual([0, '']);
    const out = ended.out.split('\n');
    expect(out[0]).toMatch(/^TYPE +LABELS +FOUND +WRONG +RECALL +PRECISION$/);
    expect(out.slice(1, -1).map((line) => line.split(' ')[0])).toEqual(Object.keys(CATEGORY_OF).sort());
    expect(out.at(-1)).toMatch(/^in all +\d+ +\d+ +\d+ +[01]\.\d{4} +[01]\.\d{4}$/);
  });

  it('lists misses only where they are asked for, as many as the figures say', async () => {
    const parsed = async (...more: string[]) => {
      const { out } = await mace('privacy', 'corpus', '--json', ...more);
      return JSON.parse(out) as {
        all: { labels: number; found: number; wrong: number };
        misses?: object[];
        floors: object;
        detector_version: number;
      };
    };
    const { misses, floors, detector_version } = await parsed();
    expect([misses, floors, detector_version]).toEqual([undefined, CORPUS_FLOORS, DETECTOR_VERSION]);
    const { misses: listed, all } = await parsed('--misses');
    expect(listed).toHaveLength(all.labels - all.found + all.wrong);
  });
});
