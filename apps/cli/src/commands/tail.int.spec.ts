import { createColors } from 'picocolors';

import { until } from '../../../../test/support/eventually.js';
import { run } from '../run.js';
import { mace } from '../testing/mace.js';
import { ServedFolder } from '../testing/served-folder.js';

interface Line {
  readonly id: string;
  readonly event?: { readonly type: string; readonly position: string; readonly stream: string };
  readonly progress?: { readonly stage: string; readonly ended: boolean };
  readonly closed?: { readonly reason: string; readonly resume_after: string };
}

let served: ServedFolder;
let token: string;

beforeAll(async () => {
  served = await ServedFolder.open('tail');
  token = await served.token('tuff', ['user'], false);
  await put('blue');
});
afterAll(() => served.close());

const as = (...args: string[]) => mace('--data', served.path, ...args);
const put = (value: string) => as('sem', 'put', 'user/profile/user_tuff/favorite_color', value, '--token', token);
const linesOf = (text: string): Line[] => text.split('\n').map((line) => JSON.parse(line) as Line);
const told = (lines: readonly Line[]): Line[] => lines.filter(({ event }) => event !== undefined);

async function all(...args: string[]): Promise<Line[]> {
  const { code, out, err } = await as('tail', '--no-follow', '--json', ...args);
  expect([code, err]).toEqual([0, '']);
  return linesOf(out);
}

describe('mace tail', () => {
  it('tells every event as a line of JSON, goes on after one without gap or repetition, and says where it ended', async () => {
    const whole = await all('--after', '0');
    const newest = told(whole).at(-1)!;
    expect(whole.at(-1)!.closed).toMatchObject({ reason: 'up_to_date', resume_after: newest.id });
    const middle = told(whole)[4]!;
    expect((await all('--after', middle.id)).slice(0, -1)).toEqual(told(whole).slice(5));
    await put('green');
    const since = told(await all('--after', newest.id));
    expect(since.map(({ event }) => event!.stream)).toContain('sem-user/profile/user_tuff/favorite_color');
  });

  it('tells those of the types and the stream that are asked for, a line each for a person', async () => {
    const stream = 'sem-user/profile/user_tuff/favorite_color';
    const { code, out } = await as('tail', '--after', '0', '--no-follow', '--stream', stream);
    expect(code).toBe(0);
    for (const line of out.split('\n')) expect(line).toMatch(/^\d+ {2}[A-Z_a-z]+ {2}sem-user\/\S+ {2}[0-9a-f]{64}$/);
    const type = out.split('  ')[1]!;
    const found = told(await all('--after', '0', '--types', `${type},DSR_REQUEST`));
    expect(new Set(found.map(({ event }) => event!.type))).toEqual(new Set([type]));
  });

  it('goes on as events come, until nobody reads it any more', async () => {
    const [out, unread] = [[] as Line[], new AbortController()];
    const following = run(['--data', served.path, '--json', 'tail', '--types', 'JOB_SEALED'], {
      out: (line) => void out.push(JSON.parse(line) as Line),
      say: () => undefined,
      colors: createColors(false),
      interactive: false,
      unread: unread.signal,
    });
    // It begins at the head of the log: asked until it is there.
    await until(async () => {
      await as('ask', 'What is 2 + 2?', '--token', token);
      return out.length > 0;
    });
    unread.abort();
    expect(await following).toBe(0);
    expect(out[0]).toMatchObject({ id: expect.stringMatching(/^\d+-[a-p]{12}$/) as string, event: { redacted: true } });
  });

  it('is denied with 77 to whom the row does not name, and refuses with 64 an id that is of no place here', async () => {
    expect(await as('tail', '--token', token)).toMatchObject({ code: 77, out: '' });
    const elsewhere = await as('tail', '--after', '41-aaaaaaaaaaaa');
    expect([elsewhere.code, elsewhere.err]).toEqual([64, expect.not.stringContaining('go on with')]);
    expect((await as('tail', '--after', 'x', '--json')).out).toContain('"INVALID_INPUT"');
    expect((await as('audit', 'stream', 'a\u001b[2K')).err).toMatch(/NOT_FOUND: .*a\ufffd\[2K/);
    for (const id of ['a\nb', '1-é']) expect(await as('tail', '--after', id)).toMatchObject({ code: 64, out: '' });
  });
});

describe('mace jobs watch', () => {
  it('tells the stages of a job until it has ended', async () => {
    const { out: asked } = await as('ask', 'What is 3 + 4?', '--json', '--token', token);
    const { job_id } = JSON.parse(asked) as { job_id: string };
    const { code, out } = await as('jobs', 'watch', job_id, '--json', '--token', token);
    const lines = linesOf(out);
    expect([code, lines[0]!.progress!.stage, lines.at(-1)!.closed!.reason]).toEqual([0, 'JOB_ACCEPTED', 'job_ended']);
    const plain = await as('jobs', 'watch', job_id, '--token', token);
    expect(plain.out.split('\n')).toHaveLength(lines.length - 1);
    const other = await served.token('eve', ['user'], false);
    expect((await as('jobs', 'watch', job_id, '--token', other)).code).toBe(1);
  });
});
