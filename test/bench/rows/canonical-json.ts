import { canonicalize as bare } from 'json-canonicalize';

import { canonicalize } from '#lib/kernel';

import { timed } from '../harness/callers.js';
import { atLeast, type Row } from '../harness/row.js';
import { interleave, median, pairedRatio } from '../harness/statistics.js';
import { SAMPLE_VALUES } from './sample-events.js';

const REPEATS = 4_000;

/** Ours guards and rounds as well; json-canonicalize only writes. */
export const canonicalJson: Row = {
  name: 'canonical-json',
  async run({ rounds, scale, say }) {
    const repeats = Math.ceil(REPEATS * scale);
    for (const value of SAMPLE_VALUES) {
      if (bare(value) !== canonicalize(value)) throw new Error('the two write different texts');
    }
    const writing = (write: (value: unknown) => string) => () =>
      timed(repeats * SAMPLE_VALUES.length, () => {
        let characters = 0;
        for (let i = 0; i < repeats; i++) for (const value of SAMPLE_VALUES) characters += write(value).length;
        if (characters === 0) throw new Error('nothing was written');
      });
    const figures = await interleave(
      { baseline: writing(bare), measured: writing(canonicalize) },
      { rounds: rounds * 3, warmUps: 3, onTask: (name, round) => say(`round ${round}, ${name}`) },
    );
    const ratio = pairedRatio(figures.measured, figures.baseline);
    return [
      {
        name: 'canonical JSON, guard included',
        unit: 'objects/s',
        figure: median(figures.measured),
        baseline: median(figures.baseline),
        baselineName: 'json-canonicalize, which does not guard',
        ratio,
        aims: [atLeast('ratio', ratio, 1)],
        details: { 'objects a round': repeats * SAMPLE_VALUES.length },
      },
    ];
  },
};
