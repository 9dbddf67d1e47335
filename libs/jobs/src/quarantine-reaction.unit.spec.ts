import { DuplicateEventError, IntegrityError } from '#lib/event-store';
import type { Provenance } from '#lib/kernel';
import type { ProjectedEvent } from '#lib/projections';

import { quarantineReaction } from './quarantine-reaction.js';

const JOB = `job:${'1'.repeat(32)}`;

function reactTo(data: Record<string, string>, stream = 'system-integrity', fault?: Error) {
  const quarantined: [string, string, Provenance][] = [];
  const told: string[] = [];
  const beside = {
    quarantineFor: async (logId: string, jobId: string, provenance: Provenance) => {
      if (fault) throw fault;
      quarantined.push([logId, jobId, provenance]);
    },
  };
  const index = { ofJob: async () => ({ job_id: JOB, user_id: 'user_tuff', log_id: 'log-1' }) };
  const metadata = { event_id: 'e1', trace_id: 't1' };
  const event = { type: 'INTEGRITY_FAILURE', stream, data, metadata } as unknown as ProjectedEvent;
  const done = quarantineReaction(beside, index, (id) => void told.push(id)).react(event);
  return { done, quarantined, told };
}

describe('an integrity failure', () => {
  it('that an admin reports of a job quarantines its log, in the name of that report', async () => {
    const { done, quarantined } = reactTo({ reason: 'reported', job_id: JOB });
    await done;
    expect(quarantined).toMatchObject([['log-1', JOB, { jobSeed: 'after:log-quarantine:e1', causationId: 'e1' }]]);
  });

  it.each([
    ['without a job', { reason: 'reported' }, 'system-integrity'],
    ['that a walk found', { reason: 'x', job_id: JOB, stream: `job-${JOB}` }, 'system-integrity'],
    ['that stands beside the log itself', { reason: 'x', job_id: JOB }, 'amendment-log-1'],
  ])('%s quarantines nothing here', async (_, data, stream) => {
    const { done, quarantined } = reactTo(data, stream);
    await done;
    expect(quarantined).toEqual([]);
  });

  it('keeps no other waiting where it was dealt with before, or where what stands beside the log does not verify', async () => {
    await reactTo({ job_id: JOB }, undefined, new DuplicateEventError('e2')).done;
    const { done, told } = reactTo({ job_id: JOB }, undefined, new IntegrityError('amendment-log-1', 0, 'x'));
    await done;
    expect(told).toEqual(['log-1']);
    await expect(reactTo({ job_id: JOB }, undefined, new Error('out of reach')).done).rejects.toThrow('out of reach');
  });
});
