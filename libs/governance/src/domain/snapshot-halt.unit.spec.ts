import type { DomainEvent } from '#lib/kernel';

import { haltFor, haltIn } from './snapshot-halt.js';

const FAULT = { snapshot_id: 's1', stream: 'snapshot-s1', revision: 0, reason: 'its signature does not verify' };
const CREATED: DomainEvent = { type: 'SNAPSHOT_CREATED', data: { snapshot_id: 's1' } };
const CLEARED: DomainEvent = { type: 'FORCE_HALT_CLEAR', data: { snapshot_id: 's1' } };

describe('a halt', () => {
  it('follows from a failure and names it', () => {
    expect(haltFor({ ...FAULT, job_id: 'job:1' }, 'e1')).toEqual([
      {
        type: 'INTEGRITY_FAILURE',
        data: { stream: 'snapshot-s1', revision: 0, reason: 'its signature does not verify', job_id: 'job:1' },
      },
      { type: 'FORCE_HALT_REPLAY', data: { snapshot_id: 's1', cause_event_id: 'e1' } },
    ]);
  });

  it('lasts until it is cleared, and begins again with the next one', () => {
    expect(haltIn([CREATED])).toBeNull();
    const halted = [CREATED, ...haltFor(FAULT, 'e1')];
    expect(haltIn(halted)).toMatchObject({ cause_event_id: 'e1' });
    expect(haltIn([...halted, CLEARED])).toBeNull();
    expect(haltIn([...halted, CLEARED, ...haltFor(FAULT, 'e2')])).toMatchObject({ cause_event_id: 'e2' });
  });
});
