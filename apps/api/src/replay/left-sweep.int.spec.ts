import { START } from '#lib/event-store';
import { SweepRecord, type SweepView } from '#lib/replay';

import { eventually } from '../../../../test/support/eventually.js';
import { JobApp } from '../../../../test/support/job-app.js';
import { Beside } from '../main.running.js';

/** One that ended its process would end it again at every start. */
it('a start goes on with no sweep that an earlier process left', async () => {
  const house = await JobApp.open();
  const beside = new Beside(house.parts);
  try {
    await (await house.caller('TUFF')).ask('6*7');
    const zoe = await house.caller('zoe', ['auditor']);
    const { events, eventStore } = house.parts.platform;
    const to = await eventStore.head();
    const left = {
      sweep_id: `rs-${'7'.repeat(32)}`,
      mode: 'audit',
      actor_id: 'user_ann',
      from: START,
      to,
      jobs: 1,
      threads: 1,
      checkpoint_size: null,
      requested_at: '2026-01-05T10:00:00.000Z',
    } as const;
    const asked = { seed: 'left', actor: { id: 'user_ann', role: 'auditor' }, traceId: 'f'.repeat(32) };
    await new SweepRecord(events).begin(left, asked as never);
    await beside.serveLocally();

    const lookAt = async (id: string): Promise<SweepView> => (await zoe.get<SweepView>(`/replay/sweeps/${id}`)).body;
    const ended = (id: string): Promise<SweepView> =>
      eventually(async () => {
        const view = await lookAt(id);
        return view.state === 'running' ? null : view;
      });
    // Behind whatever the start may have begun, which is one at a time.
    const other = await zoe.send<SweepView>('POST', '/replay/sweeps', { from: to });
    expect([other.status, (await ended(other.body.sweep_id)).state]).toEqual([202, 'done']);
    expect(await lookAt(left.sweep_id)).toMatchObject({ state: 'interrupted', processed: 0, summary_event_id: null });
  } finally {
    await beside.stop();
    await house.whileClosed(() => undefined);
    await house.dispose();
  }
});
