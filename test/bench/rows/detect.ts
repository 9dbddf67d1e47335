import { readFileSync } from 'node:fs';

import { detect } from '#lib/privacy';

import { HOSTILE_PIECES, repeated } from '../../support/hostile-texts.js';
import { timed } from '../harness/callers.js';
import { atLeast, type Line, type Row, type RowContext } from '../harness/row.js';
import { interleave, median, pairedRatio } from '../harness/statistics.js';

const MEGABYTE = 1_000_000;
const BASELINE = 'one native expression over the same text';

/** What a single pass costs that looks for a few words. */
const ONE_EXPRESSION = /(?<![a-z])(?:phone|e-?mail|account|passport|address|number|card)s?(?![a-z])/gi;

/** Detection over prose, and over the hostile text that is slowest. */
export const detection: Row = {
  name: 'detect',
  async run(context) {
    const size = Math.ceil(MEGABYTE * context.scale);
    const prose = repeated(worldFacts(), size);
    const slowest = slowestOf(
      HOSTILE_PIECES.map((piece) => repeated(piece, size)),
      context.say,
    );
    return [
      await line('detect, prose', prose, 5, context),
      await line(`detect, worst of ${HOSTILE_PIECES.length} hostile texts`, slowest, 1, context),
    ];
  },
};

function worldFacts(): string {
  const facts = JSON.parse(readFileSync('libs/memory/src/data/world-facts.json', 'utf8')) as readonly {
    readonly value: unknown;
  }[];
  return `${facts.map(({ value }) => String(value)).join(' ')} `;
}

function slowestOf(texts: readonly string[], say: RowContext['say']): string {
  const took = texts.map((text, nth) => {
    say(`hostile text ${nth + 1} of ${texts.length}`);
    const began = performance.now();
    detect(text);
    return { text, milliseconds: performance.now() - began };
  });
  return took.reduce((a, b) => (b.milliseconds > a.milliseconds ? b : a)).text;
}

async function line(name: string, text: string, wanted: number, { rounds, say }: RowContext): Promise<Line> {
  const megabytes = text.length / MEGABYTE;
  const figures = await interleave(
    {
      baseline: () => timed(megabytes, () => Array.from(text.matchAll(ONE_EXPRESSION)).length),
      measured: () => timed(megabytes, () => detect(text)),
    },
    { rounds, onTask: (task, round) => say(`round ${round}, ${name}, ${task}`) },
  );
  const figure = median(figures.measured);
  return {
    name,
    unit: 'MB/s',
    figure,
    baseline: median(figures.baseline),
    baselineName: BASELINE,
    ratio: pairedRatio(figures.measured, figures.baseline),
    aims: [atLeast('MB/s', figure, wanted, 'rate')],
    details: { 'characters a round': text.length, beginning: JSON.stringify(text.slice(0, 24)) },
  };
}
