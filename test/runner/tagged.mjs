import { readdirSync, readFileSync } from 'node:fs';

import { inRoot } from '../../scripts/lib/root.mjs';

/** The golden tests of the seeds with their tags (seed 001, "Automation & Implementation Notes"). */
const TAGS = JSON.parse(readFileSync(inRoot('test', 'golden', 'tags.json'), 'utf8'));

/**
 * What Jest takes to run the golden tests with a tag and nothing else.
 * @param tag stage0, golden or critical
 * @returns the specs that name one of them, and a pattern of their names
 */
export function tagged(tag) {
  const ids = Object.keys(TAGS).filter((id) => TAGS[id].includes(tag));
  const known = [...new Set(Object.values(TAGS).flat())];
  if (ids.length === 0) throw new Error(`--tag ${tag}: one of ${known.join(', ')}`);
  const named = new RegExp(`(?:^|[^\\w-])(?:${ids.join('|')})(?![\\w-])`);
  const specs = ['apps', 'libs', 'test'].flatMap((room) =>
    readdirSync(inRoot(room), { recursive: true })
      .filter((name) => name.endsWith('.spec.ts'))
      .map((name) => `${room}/${name}`)
      .filter((path) => named.test(readFileSync(inRoot(path), 'utf8'))),
  );
  return ['--runTestsByPath', ...specs, '--testNamePattern', named.source];
}
