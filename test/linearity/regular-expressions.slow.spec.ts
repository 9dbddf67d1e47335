import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

import { check } from 'recheck';
import ts from 'typescript';

/** Every expression of the product is linear, whatever the text (spec/privacy.md, "Detection"), or has a bound below. */
const ROOMS = ['libs', 'apps'];
/** Libraries and rooms that put expressions together from parts, while they load. */
const BUILDERS = ['#lib/privacy', '#lib/agents', '#lib/routing'];

const FORMULA = 'a formula of at most 1,000 printable characters: MATH_LIMITS.queryLength';
const ANSWER = 'an answer of at most 4,000 characters: MATH_LIMITS.answerLength';
const REMEMBERED = 'what somebody wants remembered, of at most 2,000 characters';
const CLAIM = 'a claim of at most 1,000 characters';

/** Expressions that would be slow on a long text and are given none: what bounds their input. */
const BOUNDED: Readonly<Record<string, string>> = {
  '/\\{([^}]+)\\}/g': 'paths of our own routes',
  '/(["\'`“‘]).*?(["\'`”’])/gs': 'messages of faults, once a fault',
  '/\\/+$/': 'a setting that the operator gives',
  '/[^\\s]*[0-9@][^\\s]{3,}/g': 'messages of faults, once a fault',
  '/"(?:[^"\\\\]|\\\\.)*"/g': 'a text that JSON.parse has accepted: every string in it ends',
  '/"[^"\\\\]*(?:\\\\.[^"\\\\]*)*"(\\s*:)?/g': 'a text that JSON.parse has accepted: every string in it ends',
  '/[!=<>≠≤≥≈]*[=<>≠≤≥≈]/g': CLAIM,
  '/[.?!\\s]+$/': CLAIM,
  '/(?:\\s(?:and|but|plus|&)\\s|[,;.!?]\\s|\\n)\\s*(?:\\S+\\s+){1,5}?(?:is|are|was|were|=)\\s/i': REMEMBERED,
  '/(?<!\\b(?:say|says|said|saying|pretty|yes|no))(?<!\\s)(?:\\s*,\\s*|\\s+)(?:please|pls|thanks|thank\\s+you)$/i':
    'begins once in a run of blanks: none stands before it',
  '/[_-]+$/': 'a part of a key, of at most 64 characters',
  '/\\s*[|\\n]\\s*/': 'our own list of phrases',
  '/(?:[?. ]|(?<![\\d)])!){1,50}$/': 'reads fifty signs from a place at most',
  '/[.!\\s]+$/': ANSWER,
  '/\\((?:exactly )([^]*)\\)$/': ANSWER,
  '/\\(exactly ([^]*)\\)$/': ANSWER,
  '/^(.+?) (?:from|between) (.+?) (?:to|and) (.+)$/': FORMULA,
  '/^from (.+?) to (.+?) of (.+)$/': FORMULA,
  '/^([a-z]) (?:if|when|where|such that|in) (.+=.+)$/': FORMULA,
  '/^(?:solve|(?:the )?(?:solutions?|roots?|zeros|zeroes) (?:of|to|for)|(?:the )?roots? of)(?: the equation)?(?: for ([a-z])[ :,]+)? (.+?)(?: for ([a-z]))?$/':
    FORMULA,
  '/^(?:the )?lim(?:it)?(?: of)? (.+?) (?:as|when|for) ([a-z]) ?(?:->|goes to|approaches|tends to|to|=>|→) ?(.+?)$/':
    FORMULA,
  '/^(.*?)[ *]*\\bd ?([a-z])$/': FORMULA,
  '/0+$/': 'the digits of a result, at most 4,000: MATH_LIMITS.workingDigits',
  '/\\B(?=(?:\\d{3})+$)/g': 'a number of a JavaScript integer',
  '/(?: please|[?. ]+|(?<=[a-z]{3}|[? ])!+| equals?(?: to)?(?: what)?| ?=(?: ?\\?)?| make| is(?: what)?)$/': FORMULA,
  '/\\d{1,3}(?:,\\d{3})+(?:\\.\\d+)?(?![\\d.,]*\\d)/y': FORMULA,
  '/(?<![\\d.,])(\\d+) ?¾/g': FORMULA,
  '/^add ([^,]+) (?:and|to) ([^,]+)$/': FORMULA,
  '/^add (?:up )?(.+,.+)$/': FORMULA,
  '/^(?:subtract|take) ([^,]+) (?:from|away from) ([^,]+)$/': FORMULA,
  '/^multiply ([^,]+) (?:by|and|with) ([^,]+)$/': FORMULA,
  '/^divide ([^,]+) by ([^,]+)$/': FORMULA,
  '/ \\((?:exactly|rounded|there|or|base|approximately|about)[^]*\\)$/': ANSWER,
  '/\\d+(?=\\.?$)/': 'an answer of our own demonstration',
  '/logbase_(\\d+)_of (\\d+(?:\\.\\d+)?|\\([^()]*\\)|[a-z](?![a-z]))/g': FORMULA,
};

/** The same for expressions put together from parts: how they begin. */
const BOUNDED_BEGINNINGS: Readonly<Record<string, string>> = {
  '^(my\\s+': REMEMBERED,
  '(?:[,;.!?:]\\s|\\n)\\s*(?:(?:(?:what|': REMEMBERED,
  '^(?:the )?(?:(first|second|third|': FORMULA,
  '(?:(?:\\d[\\d.,]{0,30}|\\bpi)[a-z]?%?|': 'reads thirty digits from a place at most',
  '(?:[-(]{0,3}\\.?\\d[\\d.,/]{0,30}\\)?|': 'reads sixty digits from a place at most',
};

/** Where an expression is made anew for what it is to find, and why that cannot be slow. */
const BUILT_LATER: Readonly<Record<string, string>> = {
  'apps/api/src/configuration-forms.ts': 'of a pattern that we wrote for the operator’s setting',
  'libs/agents/src/domain/claim.ts': CLAIM,
  'libs/agents/src/domain/math/judge-algebra.ts': ANSWER,
  'libs/agents/src/domain/math/words.ts': FORMULA,
  'libs/routing/src/domain/own-intents.ts': 'a pattern of the router policy, whose steps at each place are bounded',
  'libs/routing/src/domain/pattern-cost.ts': 'compiled to be checked, and never run',
  'libs/privacy/src/domain/context-words.ts': 'called while the library loads',
  'libs/privacy/src/domain/rules/phone-plans.ts': 'patterns of telephone numbers: they read 17 digits at most',
};
/** A seed and no limits of time: the same expression gets the same verdict, on a busy machine too. */
const PARAMETERS = { randomSeed: 1, timeout: null, attackTimeout: null, incubationTimeout: null };
/** Expressions found to be linear before: asking anew takes a minute for all of them. */
const CACHE = 'node_modules/.cache/recheck/linear.json';
/**
 * Digests of those that recheck has found linear before, kept with the sources: asking about all of them takes minutes.
 * `WRITE_LINEAR_EXPRESSIONS=1` writes the file anew.
 */
const KNOWN = 'test/linearity/linear-expressions.json';
const AT_ONCE = 2;
interface Found {
  readonly source: string;
  readonly flags: string;
  readonly place: string;
}
describe('the regular expressions that read text of strangers', () => {
  it('are linear in the text, literal and built ones alike', async () => {
    const found = [...ROOMS.flatMap(filesIn).flatMap(literalsIn), ...BUILDERS.flatMap(builtBy)];
    expect(found.length).toBeGreaterThan(600);
    expect(await slowOf(unique(found).filter((one) => !isBounded(one)))).toEqual([]);
  }, 600_000);
  it('that are listed as bounded are still there', () => {
    const literals = new Set(
      ROOMS.flatMap(filesIn)
        .flatMap(literalsIn)
        .map(({ source, flags }) => `/${source}/${flags}`),
    );
    const built = BUILDERS.flatMap(builtBy).map(({ source, flags }) => `/${source}/${flags}`);
    const there = [...literals, ...built];
    expect(Object.keys(BOUNDED).filter((literal) => !there.includes(literal))).toEqual([]);
    const begins = (beginning: string): boolean => there.some((literal) => literal.startsWith(`/${beginning}`));
    expect(Object.keys(BOUNDED_BEGINNINGS).filter((beginning) => !begins(beginning))).toEqual([]);
  });
  it('are made while a library loads, or stand in the list of those that are made later', () => {
    expect([...new Set(ROOMS.flatMap(filesIn).filter(makesLater))].sort()).toEqual(Object.keys(BUILT_LATER).sort());
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
/** Whether a function of a file calls `new RegExp`. */
function makesLater(file: string): boolean {
  const source = ts.createSourceFile(file, readFileSync(file, 'utf8'), ts.ScriptTarget.ES2023, true);
  const makes = (node: ts.Node, isWithin: boolean): boolean =>
    (isWithin && ts.isNewExpression(node) && node.expression.getText(source) === 'RegExp') ||
    ts.forEachChild(node, (child) => makes(child, isWithin || ts.isFunctionLike(node)) || undefined) === true;
  return makes(source, false);
}
/** What `new RegExp` of ours makes of parts while a library loads, in a process of its own: here it is loaded already. */
function builtBy(library: string): Found[] {
  const watching = `
    const built = [];
    const original = globalThis.RegExp;
    globalThis.RegExp = new Proxy(original, {
      construct(target, args) {
        const made = new target(...args);
        const place = new Error().stack.split('\\n').find((line) => /[\\\\/](?:libs|node_modules)[\\\\/]/.test(line)) ?? '';
        if (!place.includes('node_modules')) built.push({ source: made.source, flags: made.flags });
        return made;
      },
    });
    await import('${library}');
    process.stdout.write(JSON.stringify(built));`;
  const args = ['--input-type=module', '--eval', watching];
  const built = JSON.parse(execFileSync(process.execPath, args, { encoding: 'utf8' })) as readonly Omit<
    Found,
    'place'
  >[];
  return built.map((one) => ({ ...one, place: `built by ${library}` }));
}
function isBounded({ source, flags }: Found): boolean {
  return (
    `/${source}/${flags}` in BOUNDED ||
    Object.keys(BOUNDED_BEGINNINGS).some((beginning) => source.startsWith(beginning))
  );
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
/** More than the examples of this file. */
const MANY = 100;

function digestOf(key: string): string {
  return createHash('sha256').update(key).digest('hex').slice(0, 32);
}

/** Those of which recheck does not know that they are linear, in their order. */
async function slowOf(expressions: readonly Found[]): Promise<(Found & { readonly status: string })[]> {
  const version = (JSON.parse(readFileSync('node_modules/recheck/package.json', 'utf8')) as { version: string })
    .version;
  const keyOf = ({ source, flags }: Found): string => `${version} ${JSON.stringify(PARAMETERS)} /${source}/${flags}`;
  const linear = new Set(existsSync(CACHE) ? (JSON.parse(readFileSync(CACHE, 'utf8')) as string[]) : []);
  const known = new Set(JSON.parse(readFileSync(KNOWN, 'utf8')) as string[]);
  const isKnown = (found: Found): boolean => linear.has(keyOf(found)) || known.has(digestOf(keyOf(found)));
  const statuses = new Map<Found, string>();
  const asked = expressions.filter(({ source }) => !isPlain(source));
  const waiting = asked.filter((found) => !isKnown(found));
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
  if (process.env['WRITE_LINEAR_EXPRESSIONS'] === '1' && asked.length > MANY)
    writeFileSync(
      KNOWN,
      `${JSON.stringify(
        asked
          .filter(isKnown)
          .map((found) => digestOf(keyOf(found)))
          .sort(),
        null,
        2,
      )}\n`,
    );
  return expressions.flatMap((found) => {
    const status = statuses.get(found) ?? 'safe';
    return status === 'safe' ? [] : [{ ...found, status }];
  });
}
