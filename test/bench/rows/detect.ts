import { readFileSync } from 'node:fs';

import { detect, detectInPayload } from '#lib/privacy';

import { HOSTILE_PIECES, repeated } from '../../support/hostile-texts.js';
import { timed } from '../harness/callers.js';
import { atLeast, type Line, type Row, type RowContext } from '../harness/row.js';
import { interleave, median, pairedRatio } from '../harness/statistics.js';

const MEGABYTE = 1_000_000;
const BASELINE = 'one native expression over the same text';

/** What a single pass costs that looks for a few words. */
const ONE_EXPRESSION = /(?<![a-z])(?:phone|e-?mail|account|passport|address|number|card)s?(?![a-z])/gi;

/** As long as a body may be. */
const BODY = 262_144;

/** Values of which a body may hold thousands, each read by itself: the shorter they are the more there are. */
const VALUES: Readonly<Record<string, (nth: number) => string | number>> = {
  telephones: (nth) => `+1 415 555 ${1000 + (nth % 9000)}`,
  'telephones in a row': (nth) => `+1415555${1000 + (nth % 9000)}`,
  addresses: (nth) => `user${nth}@gmail.com`,
  accounts: () => 'DE89 3704 0044 0532 0130 00',
  cards: () => '4111 1111 1111 1111',
  hosts: (nth) => `81.${nth % 250}.${(nth >> 8) % 250}.7`,
  'social security': (nth) => `536-${10 + (nth % 80)}-${1000 + (nth % 9000)}`,
  'nothing, with digits': (nth) => `no ${1_000_000 + nth}-77`,
  'nothing, with words': (nth) => `ab ${nth} cd`,
  'points in time': (nth) => `2024-01-0${1 + (nth % 9)}T10:11:12Z`,
  numbers: (nth) => 1_234_567_890_123 + nth,
};

/** Detection over prose, over the hostile text that is slowest, and over the slowest body of short values. */
export const detection: Row = {
  name: 'detect',
  async run(context) {
    const size = Math.ceil(MEGABYTE * context.scale);
    const prose = repeated(worldFacts(), size);
    const texts = HOSTILE_PIECES.map((piece) => read(JSON.stringify(piece), repeated(piece, size)));
    const bodies = Object.entries(VALUES).flatMap(([name, value]) => [
      inBody(`a list: ${name}`, listOf(value)),
      inBody(`members: ${name}`, Object.fromEntries(listOf(value).map((one, nth) => [`k${nth}`, one]))),
    ]);
    return [
      await line('detect, prose', read('facts', prose), 5, context),
      await line(`detect, worst of ${texts.length} hostile texts`, slowestOf(texts, context.say), 1, context),
      await line(
        `detect, worst of ${bodies.length} bodies of short values`,
        slowestOf(bodies, context.say),
        1,
        context,
      ),
    ];
  },
};

function worldFacts(): string {
  const facts = JSON.parse(readFileSync('libs/memory/src/data/world-facts.json', 'utf8')) as readonly {
    readonly value: unknown;
  }[];
  return `${facts.map(({ value }) => String(value)).join(' ')} `;
}

interface Input {
  readonly name: string;
  readonly text: string;
  readonly read: () => unknown;
}

function read(name: string, text: string): Input {
  return { name, text, read: () => detect(text) };
}

function inBody(name: string, body: unknown): Input {
  return { name, text: JSON.stringify(body), read: () => detectInPayload(body) };
}

function listOf(value: (nth: number) => string | number): readonly (string | number)[] {
  const values: (string | number)[] = [];
  for (let size = 0; size < BODY / 2; size += JSON.stringify(values.at(-1)).length + 8)
    values.push(value(values.length));
  return values;
}

function slowestOf(inputs: readonly Input[], say: RowContext['say']): Input {
  const took = inputs.map((input, nth) => {
    say(`${nth + 1} of ${inputs.length}: ${input.name}`);
    input.read();
    const began = performance.now();
    input.read();
    return { input, pace: (performance.now() - began) / input.text.length };
  });
  return took.reduce((a, b) => (b.pace > a.pace ? b : a)).input;
}

async function line(
  name: string,
  { name: slowest, text, read }: Input,
  wanted: number,
  context: RowContext,
): Promise<Line> {
  const { rounds, say } = context;
  const megabytes = text.length / MEGABYTE;
  const figures = await interleave(
    {
      baseline: () => timed(megabytes, () => Array.from(text.matchAll(ONE_EXPRESSION)).length),
      measured: () => timed(megabytes, read),
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
    details: { 'characters a round': text.length, what: slowest },
  };
}
