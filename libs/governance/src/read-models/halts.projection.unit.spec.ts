import { givenEvents } from '#lib/projections';

import { haltsProjection } from './halts.projection.js';

const ID = 'a'.repeat(64);
const HALTED = {
  type: 'FORCE_HALT_REPLAY',
  stream: `snapshot-${ID}`,
  data: {
    snapshot_id: ID,
    cause_event_id: 'e1',
    cause_type: 'SECURITY_INCIDENT',
    cause_stream: 'system-security',
    halted_at: '2026-01-01T12:00:00.000Z',
  },
};
const CLEARED = {
  type: 'FORCE_HALT_CLEAR',
  stream: `snapshot-${ID}`,
  data: {
    snapshot_id: ID,
    halt_event_id: 'h1',
    action_request_id: 'ar-1',
    verified_by: 'user_ada',
    approvals: ['user_anna'],
    cleared_at: '2026-01-01T13:00:00.000Z',
  },
};
type Given = Parameters<typeof givenEvents>[1];
const row = async (...events: Given[]) =>
  (await givenEvents(haltsProjection, ...events).documents('halts')).map(({ body }) => body);

describe('the list of halts', () => {
  it('shows a halted snapshot with its cause and since when', async () => {
    expect(await row(HALTED)).toEqual([
      {
        snapshot_id: ID,
        status: 'halted',
        cause: { event_id: 'e1', type: 'SECURITY_INCIDENT', stream: 'system-security' },
        since: '2026-01-01T12:00:00.000Z',
        halt_event_id: expect.any(String) as unknown,
        cleared: null,
        signed: null,
        position: 1,
      },
    ]);
  });

  it('shows who cleared it, and forgets that with the next halt', async () => {
    const [cleared] = await row(HALTED, CLEARED);
    expect(cleared).toMatchObject({
      status: 'cleared',
      cleared: { action_request_id: 'ar-1', verified_by: 'user_ada', approvals: ['user_anna'] },
      position: 1,
    });
    expect(await row(HALTED, CLEARED, HALTED)).toMatchObject([{ status: 'halted', cleared: null, position: 3 }]);
  });
});
