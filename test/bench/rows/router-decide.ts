import { classifyQuery, decide, routeStage0, routingCorpus, STAGE0_DEFAULTS } from '#lib/routing';

import { timed } from '../harness/callers.js';
import { atLeast, type Row } from '../harness/row.js';
import { interleave, median, pairedRatio } from '../harness/statistics.js';
import { BUILT_IN, decisions, routerInputs } from './routing-side.js';

const DECISIONS = 400_000;
const QUERIES = 60_000;

/** Stage-1 decisions on classified queries; Stage-0 decides on the bare texts by its nine rules and scores nobody. */
export const routerDecide: Row = {
  name: 'router-decide',
  async run({ rounds, scale, say }) {
    const inputs = routerInputs(BUILT_IN);
    const alike = inputs
      .filter(({ goals }) => goals.length === 0)
      .map((one) => ({ ...one, attention: inputs[0]!.attention }));
    const texts = routingCorpus().map(({ query }) => query);
    const count = Math.ceil(DECISIONS * scale);
    const queries = Math.ceil(QUERIES * scale);
    const over = (answer: (text: string) => unknown) => () =>
      timed(queries, () => {
        for (let i = 0; i < queries; i++) answer(texts[i % texts.length]!);
      });
    const figures = await interleave(
      {
        baseline: over((query_text) =>
          routeStage0({ query_text, user_id: 'user_bench' }, STAGE0_DEFAULTS, () => false),
        ),
        measured: () => decisions(inputs, count),
        'one state': () => decisions(alike, count),
        'with the classifier': over((query_text) =>
          decide({ ...inputs[0]!, classification: classifyQuery({ query_text, has_user: true }) }),
        ),
      },
      { rounds, onTask: (task, round) => say(`round ${round}, ${task}`) },
    );
    const figure = median(figures.measured);
    return [
      {
        name: 'router decide, Stage-1',
        unit: 'decisions/s',
        figure,
        baseline: median(figures.baseline),
        baselineName: 'Stage-0 on the same queries, which scores nobody and traces nothing',
        ratio: pairedRatio(figures.measured, figures.baseline),
        aims: [atLeast('rate', figure, 200_000, 'rate')],
        details: {
          'decisions/s where all begin in one state, as jobs do': median(figures['one state']),
          'decisions/s with classifying the text': median(figures['with the classifier']),
          'decisions a round': count,
        },
      },
    ];
  },
};
