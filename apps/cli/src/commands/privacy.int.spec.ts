import { createColors } from 'picocolors';

import { CATEGORY_OF, CORPUS_FLOORS, DETECTOR_VERSION } from '#lib/privacy';

import { run } from '../run.js';

describe('mace privacy corpus', () => {
  it('prints a row for every type and one for all, and ends with 0', async () => {
    const { code, out, said } = await mace('privacy', 'corpus');
    expect([code, said]).toEqual([0, []]);
    expect(out[0]).toMatch(/^TYPE +LABELS +FOUND +WRONG +RECALL +PRECISION$/);
    expect(out.slice(1, -1).map((line) => line.split(' ')[0])).toEqual(Object.keys(CATEGORY_OF).sort());
    expect(out.at(-1)).toMatch(/^in all +\d+ +\d+ +\d+ +[01]\.\d{4} +[01]\.\d{4}$/);
  });

  it('lists misses only where they are asked for, as many as the figures say', async () => {
    const parsed = async (...more: string[]) => {
      const { out } = await mace('privacy', 'corpus', '--json', ...more);
      return JSON.parse(out.join('\n')) as {
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

  async function mace(...args: string[]): Promise<{ code: number; out: string[]; said: string[] }> {
    const [out, said]: [string[], string[]] = [[], []];
    const io = {
      out: (line: string) => void out.push(line),
      say: (line: string) => void said.push(line),
      colors: createColors(false),
      interactive: false,
    };
    return { code: await run(args, io), out, said };
  }
});
