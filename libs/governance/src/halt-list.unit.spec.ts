import { type GivenEvent, givenEvents } from '#lib/projections';

import { HaltList, type HaltPage } from './halt-list.js';
import { haltsProjection } from './read-models/halts.projection.js';

const [A, B, C] = ['a', 'b', 'c'].map((digit) => digit.repeat(64)) as [string, string, string];

const halted = (snapshot_id: string): GivenEvent => ({
  type: 'FORCE_HALT_REPLAY',
  stream: `snapshot-${snapshot_id}`,
  data: {
    snapshot_id,
    cause_event_id: 'e1',
    cause_type: 'SECURITY_INCIDENT',
    cause_stream: 'system-security',
    halted_at: '2026-01-01T12:00:00.000Z',
  },
});
const cleared = (snapshot_id: string, verified_by: string, kid = 'new'): GivenEvent => ({
  type: 'FORCE_HALT_CLEAR',
  stream: `snapshot-${snapshot_id}`,
  data: {
    snapshot_id,
    halt_event_id: 'h1',
    action_request_id: 'ar-1',
    verified_by,
    approvals: ['user_anna'],
    cleared_at: '2026-01-01T13:00:00.000Z',
  },
  metadata: { kid },
});

/** The key `old` signs no more behind position 2. */
async function listed(status: 'halted' | 'cleared', given: readonly GivenEvent[], limit = 50): Promise<HaltPage[]> {
  const model = await givenEvents(haltsProjection, ...given).readModel();
  const pins = (ids: readonly string[]) => Promise.resolve(ids.map(() => ({ jobs: 0, at_least: false })));
  const list = new HaltList(model, pins, () => Promise.resolve({ old: '2' }));
  const pages: HaltPage[] = [];
  for (let cursor: string | null | undefined; cursor !== null; cursor = pages.at(-1)!.next_cursor)
    pages.push(await list.page({ status, limit, ...(cursor === undefined ? {} : { cursor }) }));
  return pages;
}
const names = (pages: readonly HaltPage[]): readonly (readonly string[])[] =>
  pages.map(({ items }) => items.map(({ snapshot_id }) => snapshot_id[0]!));

describe('given a halt that was cleared with a key which had been retired before', () => {
  const given = [halted(A), halted(B), cleared(A, 'user_eve', 'old')];

  it('it is listed as standing, as nobody has cleared it', async () => {
    const [page] = await listed('halted', given);
    expect(names([page!])).toEqual([['b', 'a']]);
    expect(page!.items[1]).toMatchObject({ status: 'halted', cleared: null });
    expect(names(await listed('cleared', given))).toEqual([[]]);
  });

  it('when the council has cleared it since, it is listed as cleared by them', async () => {
    const then = [...given, cleared(A, 'user_ada')];
    expect(names(await listed('halted', then))).toEqual([['b']]);
    expect((await listed('cleared', then))[0]!.items).toMatchObject([{ cleared: { verified_by: 'user_ada' } }]);
  });

  it('when it had been cleared before, it stays cleared by those who did', async () => {
    const then = [halted(A), cleared(A, 'user_ada'), cleared(A, 'user_eve', 'old')];
    expect((await listed('cleared', then))[0]!.items).toMatchObject([{ cleared: { verified_by: 'user_ada' } }]);
  });

  it('when it was cleared before an earlier halt, that clears nothing of this one', async () => {
    const then = [halted(A), cleared(A, 'user_ada'), halted(A), cleared(A, 'user_eve', 'old')];
    expect(names(await listed('halted', then))).toEqual([['a']]);
  });
});

it('what the key signed before it was retired counts', async () => {
  expect(names(await listed('cleared', [halted(A), cleared(A, 'user_ada', 'old')]))).toEqual([['a']]);
});

it('halts are paged whatever was cleared in between, each once', async () => {
  const given = [
    ...[halted(A), halted(B), halted(C)],
    ...[cleared(A, 'user_eve', 'old'), cleared(B, 'user_ada'), cleared(C, 'user_eve', 'old')],
  ];
  const pages = names(await listed('halted', given, 1));
  expect(pages.flat()).toEqual(['c', 'a']);
  expect(names(await listed('cleared', given, 1)).flat()).toEqual(['b']);
});
