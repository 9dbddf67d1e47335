import { existsSync, readFileSync } from 'node:fs';

const TEXT = readFileSync('docs/security.md', 'utf8');
const rows = TEXT.split('\n').filter((line) => /^\| [STRIDE] \|/.test(line));

describe('the threat model', () => {
  it('names a test for each threat, and each test is there', () => {
    expect(rows.length).toBeGreaterThan(30);
    for (const row of rows) {
      const tests = [...row.matchAll(/`([^`]+\.spec\.ts)`/g)].map(([, path]) => path!);
      expect([row, tests.length > 0]).toEqual([row, true]);
      for (const path of tests) expect([path, existsSync(path)]).toEqual([path, true]);
    }
  });

  it('asks of every part each of the six questions that apply, and says what is not defended', () => {
    const parts = TEXT.split('## Threats, by part')[1]!.split('\n## ')[0]!.split('\n### ').slice(1);
    expect(parts.length).toBe(6);
    for (const part of parts) expect(part).toContain('\nNot defended: ');
    const asked = new Set(rows.map((row) => row[2]));
    expect([...asked].sort()).toEqual(['D', 'E', 'I', 'R', 'S', 'T']);
  });

  it('gives the limits that are in force', async () => {
    const { LIMITS } = await import('../../apps/api/src/edge/http-options.js');
    const seconds = (ms: number): string => `${ms / 1000} s`;
    expect(TEXT).toContain(`| ${LIMITS.headerBytes / 1024} KB, within ${seconds(LIMITS.headersMs)} |`);
    expect(TEXT).toContain(`the whole request within ${seconds(LIMITS.requestMs)} |`);
    expect(TEXT).toContain(`waits to be read | ${seconds(LIMITS.stillMs)} |`);
    expect(TEXT).toContain(`| an idle connection | ${seconds(LIMITS.keepAliveMs)} |`);
    const [each, all] = [LIMITS.connectionsOfAddress, LIMITS.connections].map((count) => count.toLocaleString('en'));
    expect(TEXT).toContain(`| connections | ${each} of an address (IPv6: of a /64), ${all} in all |`);
  });
});
