import { confusion, routingCorpus } from '#lib/routing';

import type { Context } from '../context.js';
import { EXIT, type ExitCode } from '../exit-codes.js';
import { table } from '../io.js';

/** `mace router corpus`: how the classifier fares on the labelled queries; exit code 2 where it misses one. */
export function corpus({ io, json }: Context): Promise<ExitCode> {
  const result = confusion(routingCorpus());
  if (json) io.out(JSON.stringify(result, null, 2));
  else {
    const intents = [
      ...new Set(Object.entries(result.table).flatMap(([said, row]) => [said, ...Object.keys(row)])),
    ].sort();
    const rows = intents.map((said) => [said, ...intents.map((given) => String(result.table[said]?.[given] ?? '·'))]);
    for (const line of table([['SAID \\ GIVEN', ...intents], ...rows])) io.out(line);
    io.out('');
    io.out(`${result.right} of ${result.total} queries as labelled`);
    for (const { query, expected, given } of result.misses) io.out(`  ${query}: ${expected}, given ${given}`);
  }
  return Promise.resolve(result.misses.length === 0 ? EXIT.ok : EXIT.divergence);
}
