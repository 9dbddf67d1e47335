import type { HistoryDiffPage } from '#lib/history';

import { mace as runMace } from '../testing/mace.js';
import { ServedFolder } from '../testing/served-folder.js';

const KEY = 'user/profile/user_tuff/favorite_color';

let served: ServedFolder;
let position: string;
beforeAll(async () => {
  served = await ServedFolder.open('diff');
  await mace('sem', 'put', KEY, 'blue');
  position = await head();
  await mace('sem', 'put', KEY, 'green');
});
afterAll(() => served.close());

const mace = (...args: string[]) => runMace('--data', served.path, ...args);

async function head(): Promise<string> {
  const { out } = await mace('--json', 'diff', '--from', '0');
  return (JSON.parse(out) as HistoryDiffPage).to;
}

describe('mace diff', () => {
  it('tells what changed without what was said, and exits with 2', async () => {
    const { code, out, err } = await mace('diff', '--from', position, '--kind', 'memory');
    expect(code).toBe(2);
    expect(out).toContain(`memory sem-${KEY}: changed, 1 -> 2 events`);
    expect(out).toMatch(/^ {2}\/value: "\[personal [0-9a-f]{8}\]" -> "\[personal [0-9a-f]{8}\]"$/m);
    expect(out).not.toMatch(/blue|green/);
    expect(err).toMatch(/^1 changed from \d+ to \d+$/);
  });

  it('exits with 0 where nothing did', async () => {
    const { code, out, err } = await mace('diff', '--from', position, '--to', position);
    expect([code, out, err]).toEqual([0, '', `nothing changed from ${position} to ${position}`]);
  });

  it('names a position that nothing has reached', async () => {
    const { code, err } = await mace('diff', '--from', '99999999');
    expect(code).toBe(64);
    expect(err).toContain('from: nothing has reached position 99999999');
  });
});

describe('mace projections rerun', () => {
  it('of a range gives the digest of the live documents too', async () => {
    const { code, out } = await mace('projections', 'rerun', 'sem', '--from', position);
    expect(code).toBe(0);
    expect(out).toMatch(new RegExp(`^sem: SAME, \\d+ events of ${position} to \\d+, digest [0-9a-f]{64}$`));
  });

  it('of a stream from a revision compares what that changed', async () => {
    const stream = `sem-${KEY}`;
    const { code, out } = await mace('projections', 'rerun', 'sem', '--stream', stream, '--from-revision', '1');
    expect([code, out]).toEqual([0, expect.stringMatching(/^sem: SAME, 1 events of \S+ from revision 1 to 1, digest/)]);
    const beyond = await mace('projections', 'rerun', 'sem', '--stream', stream, '--from-revision', '2');
    expect([beyond.code, beyond.err]).toEqual([64, expect.stringContaining("last event's revision, which is 1")]);
  });
});

describe('mace governance events', () => {
  it('shows what a policy said at a position', async () => {
    const { code, out } = await mace('governance', 'events', 'router', '--as-of', position);
    expect(code).toBe(0);
    expect(out).toContain('POLICY_CHANGED');
    expect(out).toContain('"min_score"');
  });
});
