import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Names under which secrets, and what is computed with them, go through the sources. */
const SECRET = String.raw`\b(?:\w+\.)*\w*(?:[sS]ecret|[hH]mac|[sS]ignature|[oO]tp|[pP]assword|[aA]pi_?[kK]ey|[bB]earer)`;
const EQUALS = new RegExp(
  String.raw`${SECRET}\s*[!=]==(?!\s*(?:undefined|null|''|typeof))|[!=]==\s*${SECRET}\b(?!\s*\()`,
);
/** Asks for a kind of thing, not whether two secrets are the same. */
const OF_KINDS = /typeof|KEY_PURPOSES\[/;

function* sources(folder: string): Generator<string> {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) yield* sources(path);
    else if (/(?<!\.spec)\.ts$/.test(entry.name) && !path.includes('/testing/')) yield path;
  }
}

function comparisonsIn(text: string): string[] {
  return text.split('\n').filter((line) => EQUALS.test(line) && !OF_KINDS.test(line));
}

describe('secrets', () => {
  it('are compared by equalInConstantTime and nowhere by ===', () => {
    const found = ['apps', 'libs'].flatMap((room) =>
      [...sources(room)].flatMap((path) => comparisonsIn(readFileSync(path, 'utf8')).map((line) => `${path}: ${line}`)),
    );
    expect(found).toEqual([]);
  });

  it.each(['if (own.hmac === held.hmac) {', 'return signature !== expected;', 'a === row.apiKey', 'x.otp === given'])(
    'are found where they are compared otherwise: %s',
    (line) => expect(comparisonsIn(line)).toEqual([line]),
  );

  it.each(["typeof secret === 'string'", 'secret === undefined', 'signature !== null', "state === 'hmac-x'"])(
    'are not seen where there is none: %s',
    (line) => expect(comparisonsIn(line)).toEqual([]),
  );
});
