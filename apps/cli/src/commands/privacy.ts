import {
  CORPUS_FLOORS,
  CORPUS_PARTS,
  detect,
  DETECTOR_VERSION,
  type Figures,
  measureCorpus,
  readCorpus,
} from '#lib/privacy';

import type { Context } from '../context.js';
import { EXIT, type ExitCode } from '../exit-codes.js';
import { table } from '../io.js';

/**
 * `mace privacy corpus`: what the detector finds of the labelled corpus, by type and in all. Needs no data folder.
 * Fails where a figure is below its floor.
 */
export function corpus({ io, json }: Context, options: { readonly misses?: boolean }): Promise<ExitCode> {
  const measured = measureCorpus(detect, CORPUS_PARTS.flatMap(readCorpus));
  const { texts, all, types, misses, below } = measured;
  if (json) {
    const shown = { detector_version: DETECTOR_VERSION, texts, floors: CORPUS_FLOORS, all, types, below };
    io.out(JSON.stringify(options.misses === true ? { ...shown, misses } : shown, null, 2));
  } else {
    const heading = ['TYPE', 'LABELS', 'FOUND', 'WRONG', 'RECALL', 'PRECISION'];
    const rows = [...Object.entries(types), ['in all', all] as const].map(([type, figures]) => rowOf(type, figures));
    for (const line of table([heading, ...rows])) io.out(line);
    if (options.misses === true)
      for (const { kind, type, part, rule, text } of misses)
        io.out(`${kind} ${rule ?? type} ${JSON.stringify(part)} in ${JSON.stringify(text)}`);
    for (const line of below) io.say(`below its floor: ${line}`);
  }
  return Promise.resolve(below.length === 0 ? EXIT.ok : EXIT.failure);
}

function rowOf(type: string, { labels, found, wrong, recall, precision }: Figures): string[] {
  return [type, String(labels), String(found), String(wrong), recall.toFixed(4), precision.toFixed(4)];
}
