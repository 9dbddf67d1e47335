import { JOB_EVENT_TYPES, jobEvents } from '#lib/jobs';

import { COMPARED_STEPS, comparedStepOf } from './compared-steps.js';

describe('a replay', () => {
  it('compares every event that a job can record, and so every event that jobs define', () => {
    for (const type of [...JOB_EVENT_TYPES, ...jobEvents.map((definition) => definition.type)]) {
      expect([type, COMPARED_STEPS]).toEqual([type, expect.arrayContaining([comparedStepOf(type)])]);
    }
  });

  it('knows no step for what no job records', () => {
    expect(['ACTION_APPROVED', 'constructor', 'none'].map(comparedStepOf)).toEqual([null, null, null]);
  });
});
