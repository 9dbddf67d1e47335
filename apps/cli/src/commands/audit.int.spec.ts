import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { createColors } from 'picocolors';

import { run } from '../run.js';

const KEY = 'user/profile/user_tuff/favorite_color';

let folder: string;
let put: string;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'mace-audit-'));
  put = (await answer<{ event_id: string }>('sem', 'put', KEY, 'zanzibarblue')).event_id;
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function mace(...args: string[]) {
  const [out, err]: [string[], string[]] = [[], []];
  const code = await run(['--data', folder, ...args], {
    out: (line) => void out.push(line),
    say: (line) => void err.push(line),
    colors: createColors(false),
    interactive: false,
  });
  return { code, out: out.join('\n'), err: err.join('\n') };
}

async function answer<T = Record<string, unknown>>(...args: string[]): Promise<T> {
  const { code, out, err } = await mace('--json', ...args);
  expect({ code, err }).toEqual({ code: 0, err: '' });
  return JSON.parse(out) as T;
}

describe('mace audit', () => {
  it('event shows one without what was said, and with it once that is recorded', async () => {
    const { code, out } = await mace('audit', 'event', put);
    expect(code).toBe(0);
    expect(out).toMatch(/^type +SEM_PUT$/m);
    expect(out).not.toContain('zanzibarblue');
    expect((await mace('audit', 'event', put, '--unredacted')).out).toContain('zanzibarblue');
    const { items } = await answer<{ items: { data: object }[] }>('audit', 'events', '--type', 'admin_access_event');
    expect(items.map(({ data }) => data)).toMatchObject([{ resource: `event/${put}`, unredacted: true }]);
  });

  it('events and stream list what happened where, and say how to go on', async () => {
    const { out, err } = await mace('audit', 'events', '--type', 'SEM_PUT', '--limit', '1');
    expect(out).toMatch(/^POSITION +TYPE +SIGNED_BY +STREAM +EVENT_ID$/m);
    expect(err).toMatch(/^more: --cursor /);
    const { items } = await answer<{ items: { event_id: string; canonical: string }[] }>(
      ...['audit', 'stream', `sem-${KEY}`, '--form', 'stored'],
    );
    expect(items.map(({ event_id }) => event_id)).toEqual([put]);
    expect(items[0]!.canonical).toContain('"$enc"');
  });

  it('says what is not there, and exits 1', async () => {
    for (const args of [
      ['event', 'f'.repeat(64)],
      ['stream', 'job-none'],
      ['evidence', 'f'.repeat(64)],
    ]) {
      expect((await mace('audit', ...args)).code).toBe(1);
    }
  });
});
