import { readFileSync } from 'node:fs';

import type { LabelledQuery } from './domain/qcp.js';

/** The labelled queries that the classifier is held to. */
export function routingCorpus(): readonly LabelledQuery[] {
  return JSON.parse(
    readFileSync(new URL('domain/qcp-corpus.json', import.meta.url), 'utf8'),
  ) as readonly LabelledQuery[];
}
