import { existsSync, readFileSync } from 'node:fs';

const PAGE = 'docs/sw4-001.md';
/** Where the names of tests that are drawn from a table stand. */
const TABLES = ['test/support/negotiation-vectors.ts', 'test/support/room-refusals.ts'];
const KINDS = ['slow', 'e2e', 'int', 'unit'];
/** Sections of the extension that say what is to be done. */
const SECTIONS = ['1.1', '1.2', '1.3', '2.1', '2.2', '3.1', '3.2', '3.3', '4.1', '4.2', '5.1', '5.2', '5.3', '6', '7'];
/** Headings of the room's specification. */
const PARTS = [
  'wire',
  'status codes',
  'quorum',
  'aggregation',
  'decision',
  'window',
  'one decision',
  'service',
  'outside critics',
  'metrics',
];
const OWN_PROCESS = /RoomProcess|ServedProcess/;

interface RuleRow {
  readonly part: string;
  readonly rule: string;
  readonly shown: string;
}

const rows: readonly RuleRow[] = readFileSync(PAGE, 'utf8')
  .split('\n')
  .filter((line) => line.startsWith('| ') && !/^\| (?:---|section|part) /.test(line))
  .map((line) => {
    const [, part, rule, shown] = line.split(' | ').length === 3 ? ['', ...line.slice(2, -2).split(' | ')] : [];
    return { part: part!, rule: rule!, shown: shown! };
  });

/** The file and the name of a test, as a row names them. */
function testOf({ shown }: RuleRow): { readonly texts: readonly string[]; readonly name: string } | null {
  const named = /`([^`]+)`: (.+)$/.exec(shown);
  if (!named) return null;
  const [, path, name] = named as unknown as [string, string, string];
  const files = ['', ...KINDS.map((kind) => `.${kind}`)].map((kind) => `${path}${kind}.spec.ts`).filter(existsSync);
  return { texts: files.map((file) => readFileSync(file, 'utf8')), name };
}

describe(PAGE, () => {
  it('has every section of the extension and every part of the room', () => {
    const parts = new Set(rows.map(({ part }) => part));
    expect([...SECTIONS, ...PARTS].filter((part) => !parts.has(part))).toEqual([]);
    expect([...parts].filter((part) => ![...SECTIONS, ...PARTS].includes(part))).toEqual([]);
  });

  it.each(rows)('$part, $rule: names a test that exists', (row) => {
    const test = testOf(row);
    if (!test) return expect(row.shown).toMatch(/^not done: /);
    expect(test.texts.length).toBeGreaterThan(0);
    const tables = TABLES.map((file) => readFileSync(file, 'utf8'));
    expect([...test.texts, ...tables].some((text) => text.includes(test.name))).toBe(true);
    if (row.shown.startsWith('● ')) expect(test.texts.some((text) => OWN_PROCESS.test(text))).toBe(true);
  });
});
