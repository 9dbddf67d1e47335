import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';

/** The pictures of docs/pictures, which `npm run screenshots` makes. */

interface Pictures {
  readonly PICTURES: Readonly<Record<string, string>>;
  readonly SCHEMES: readonly string[];
  readonly MOST_BYTES: number;
}

const FOLDER = 'docs/pictures';
const { PICTURES, SCHEMES, MOST_BYTES } = (await import(join(process.cwd(), 'scripts/screenshots.mjs'))) as Pictures;
const files = Object.keys(PICTURES).flatMap((name) => SCHEMES.map((scheme) => `${name}-${scheme}.png`));

it('each picture shows a screen that is there', () => {
  const screens = readFileSync('apps/console/src/app/screens.ts', 'utf8');
  const gone = Object.values(PICTURES).filter((pattern) => !screens.includes(`pattern: '${pattern}'`));
  expect(gone).toEqual([]);
});

it('they are all there, in light and dark, and small enough to be looked at over any line', () => {
  expect(readdirSync(FOLDER).sort()).toEqual([...files].sort());
  expect(files.filter((name) => statSync(join(FOLDER, name)).size > MOST_BYTES)).toEqual([]);
});

it.each(['README.md', 'docs/console.md'])('%s shows none that is not there', (page) => {
  const shown = [...readFileSync(page, 'utf8').matchAll(/pictures\/([a-z-]+\.png)/g)].map(([, name]) => name);
  expect(shown.length).toBeGreaterThan(0);
  expect(shown.filter((name) => !files.includes(name!))).toEqual([]);
});
