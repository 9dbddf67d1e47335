import type { IntegrityRules } from '../range/rules.js';

/** For logs of NOTED, an event of no meaning: what belongs to every walk, and to jobs and snapshots as far as their names. */
export const BARE_RULES: IntegrityRules = {
  dense: true,
  leaves: true,
  retired: {},
  sealFields: {},
  versions: { NOTED: 1 },
  together: [],
  jobs: { prefix: 'job-', sealed: 'JOB_SEALED', log: 'REFLECTIVE_LOG_WRITTEN', ids: [], hashed: [] },
  snapshots: { prefix: 'snapshot-', created: 'SNAPSHOT_CREATED', flags: [] },
  artifacts: {},
};
