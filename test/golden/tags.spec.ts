import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Tags of the golden tests, by which CI chooses (seed 001, "Automation & Implementation Notes"). */
const TAGS = JSON.parse(readFileSync('test/golden/tags.json', 'utf8')) as Record<string, readonly string[]>;

/** What `npm test -- --tag TAG` gives Jest. */
function tagged(tag: string): readonly string[] {
  const script = `import { tagged } from './test/runner/tagged.mjs'; console.log(JSON.stringify(tagged(${JSON.stringify(tag)})));`;
  const ran = execFileSync(process.execPath, ['--input-type=module', '-e', script], { stdio: 'pipe' });
  return JSON.parse(ran.toString()) as string[];
}

describe('the tags of golden tests', () => {
  it('are of tests that stand in a title', () => {
    const titles = ['apps', 'libs', 'test']
      .flatMap((room) => readdirSync(room, { recursive: true, encoding: 'utf8' }).map((name) => join(room, name)))
      .filter((path) => path.endsWith('.spec.ts'))
      .flatMap((path) => readFileSync(path, 'utf8').match(/^ *(?:\S*\b(?:it|describe)\b.*)?[[\])(]*['"`].*/gm) ?? [])
      .join('\n');
    const missing = Object.keys(TAGS).filter((id) => !new RegExp(`(?:^|[^\\w-])${id}(?![\\w-])`).test(titles));
    expect(missing).toEqual([]);
  });

  it('choose the tests that have them, and no other', () => {
    const chosen = tagged('critical');
    const pattern = new RegExp(chosen.at(-1)!);
    expect(pattern.test('Golden T31_STORAGE_FULL: an event store without room')).toBe(true);
    expect(pattern.test('T12_ROUTER_MATH')).toBe(false);
    expect(pattern.test('T31_STORAGE_FULLER')).toBe(false);
    expect(chosen).toContain('test/golden/sem.spec.ts');
    expect(() => tagged('urgent')).toThrow('--tag urgent: one of stage0, golden, critical');
  });
});
