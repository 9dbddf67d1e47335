import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

import { check } from 'recheck';
import ts from 'typescript';

/** What reads text of strangers as it comes: every expression there is linear, whatever the text (spec/privacy.md, "Detection"). */
const ROOMS = ['libs/privacy/src', 'apps/api/src/edge'];

/** Expressions that would be slow on a long text and are given none: what bounds their input. */
const BOUNDED: Readonly<Record<string, string>> = {
  '/\\{([^}]+)\\}/g': 'paths of our own routes',
  '/(["\'`“‘]).*?(["\'`”’])/gs': 'messages of faults, once a fault',
  '/[^\\s]*[0-9@][^\\s]{3,}/g': 'messages of faults, once a fault',
  '/"(?:[^"\\\\]|\\\\.)*"/g': 'a text that JSON.parse has accepted: every string in it ends',
  '/"[^"\\\\]*(?:\\\\.[^"\\\\]*)*"(\\s*:)?/g': 'a text that JSON.parse has accepted: every string in it ends',
};

/** A seed and no limits of time: the same expression gets the same verdict, on a busy machine too. */
const PARAMETERS = { randomSeed: 1, timeout: null, attackTimeout: null, incubationTimeout: null };
/** Expressions found to be linear before: asking anew takes a minute for all of them. */
const CACHE = 'node_modules/.cache/recheck/linear.json';
const AT_ONCE = 2;

interface Found {
  readonly source: string;
  readonly flags: string;
  readonly place: string;
}

describe('the regular expressions that read text of strangers', () => {
  it('are linear in the text, literal and built ones alike', async () => {
    const found = [...ROOMS.flatMap(filesIn).flatMap(literalsIn), ...builtByPrivacy()];
    expect(found.length).toBeGreaterThan(100);
    const slow = await slowOf(unique(found));
    expect(slow.filter(({ source, flags }) => !(`/${source}/${flags}` in BOUNDED))).toEqual([]);
  }, 600_000);

  it('that are listed as bounded are still there', () => {
    const literals = new Set(
      ROOMS.flatMap(filesIn)
        .flatMap(literalsIn)
        .map(({ source, flags }) => `/${source}/${flags}`),
    );
    expect(Object.keys(BOUNDED).filter((literal) => !literals.has(literal))).toEqual([]);
  });

  it('are asked about unless nothing in them repeats without end, which no slow one escapes', () => {
    const plain = ['^abc?$', '[*+]{1,9}x', '(?:a|b)\\+', 'a{2}b{1,30}', '(?<!a)b'];
    const others = ['^(a+)+$', 'a*', '\\s+$', 'a{2,}', '(?:a|aa){1,40}$', 'a{1,50}a{1,50}b', '[\\]+]+$', '(a?){60}'];
    expect(plain.filter((source) => !isPlain(source))).toEqual([]);
    expect(others.filter(isPlain)).toEqual([]);
  });

  it('would be seen by this check if one were slow', async () => {
    const place = 'here';
    const slow = await slowOf([
      { source: '^(a+)+$', flags: '', place },
      { source: '\\s+$', flags: '', place },
      { source: 'a+b', flags: 'y', place },
    ]);
    expect(slow.map(({ source }) => source)).toEqual(['^(a+)+$', '\\s+$']);
  });
});

function filesIn(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /(?<!\.spec|\.d)\.ts$/.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name));
}

function literalsIn(file: string): Found[] {
  const source = ts.createSourceFile(file, readFileSync(file, 'utf8'), ts.ScriptTarget.ES2023);
  const found: Found[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isRegularExpressionLiteral(node)) {
      const end = node.text.lastIndexOf('/');
      const { line } = source.getLineAndCharacterOfPosition(node.getStart(source));
      found.push({
        source: node.text.slice(1, end),
        flags: node.text.slice(end + 1),
        place: `${file}:${line + 1}`,
      });
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}

/** What `new RegExp` makes of parts while the library loads. Patterns of telephone numbers are made later; they read 17 digits at most. */
function builtByPrivacy(): Found[] {
  const built: Found[] = [];
  const original = globalThis.RegExp;
  globalThis.RegExp = new Proxy(original, {
    construct(target, args: [string, string?]) {
      const made = new target(...args);
      built.push({ source: made.source, flags: made.flags, place: 'built by libs/privacy' });
      return made;
    },
  });
  try {
    jest.isolateModules(() => jest.requireActual('#lib/privacy'));
  } finally {
    globalThis.RegExp = original;
  }
  return built;
}

function unique(found: readonly Found[]): readonly Found[] {
  return [...new Map(found.map((one) => [`/${one.source}/${one.flags}`, one])).values()];
}

/** How many ways there may be at most to match at one place of a text. */
const MAX_WAYS = 1_000;

/**
 * Without a search it is plain that an expression is linear where nothing repeats without end and no group is repeated:
 * then it reads a bounded stretch in a bounded number of ways at each place. Errs towards asking recheck.
 */
function isPlain(source: string): boolean {
  const bare = source
    .replace(/\\p\{[^}]*\}|\\u\{[^}]*\}|\\./gi, 'a')
    .replace(/\[[^\]]*\]/g, 'a')
    .replace(/\(\?(?:<?[=!]|:|<[^>]*>)/g, '(');
  if (/[*+[\]]|\{\d+,\}|\)\{/.test(bare)) return false;
  const counts = [...bare.matchAll(/\{(\d+)(?:,(\d+))?\}/g)].map(([, least, most]) => Number(most ?? least));
  const choices = 2 ** (bare.match(/\?/g)?.length ?? 0);
  return [...counts, choices].reduce((ways, count) => ways * Math.max(1, count), 1) <= MAX_WAYS;
}

/** Those of which recheck does not know that they are linear, in their order. */
async function slowOf(expressions: readonly Found[]): Promise<(Found & { readonly status: string })[]> {
  const version = (JSON.parse(readFileSync('node_modules/recheck/package.json', 'utf8')) as { version: string })
    .version;
  const keyOf = ({ source, flags }: Found): string => `${version} ${JSON.stringify(PARAMETERS)} /${source}/${flags}`;
  const linear = new Set(existsSync(CACHE) ? (JSON.parse(readFileSync(CACHE, 'utf8')) as string[]) : []);
  const statuses = new Map<Found, string>();
  const waiting = expressions.filter((found) => !isPlain(found.source) && !linear.has(keyOf(found)));
  const work = async (): Promise<void> => {
    for (let found = waiting.shift(); found; found = waiting.shift()) {
      const { status } = await check(found.source, found.flags, PARAMETERS);
      statuses.set(found, status);
      if (status === 'safe') linear.add(keyOf(found));
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  mkdirSync(dirname(CACHE), { recursive: true });
  writeFileSync(CACHE, JSON.stringify([...linear]));
  return expressions.flatMap((found) => {
    const status = statuses.get(found) ?? 'safe';
    return status === 'safe' ? [] : [{ ...found, status }];
  });
}
