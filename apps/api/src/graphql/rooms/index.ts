import type { Field } from '../field.js';
import type { Link } from '../links.js';
import { auditFields } from './audit.js';
import { authFields } from './auth.js';
import { brainstateFields } from './brainstate.js';
import { governanceFields } from './governance.js';
import { jobFields } from './jobs.js';
import { SUBSCRIPTIONS } from './live.js';
import { memoryFields } from './memory.js';
import { negotiationFields } from './negotiations.js';
import { privacyFields } from './privacy.js';
import { projectionFields } from './projections.js';
import { replayFields } from './replay.js';
import { routerFields } from './router.js';
import { trustFields } from './trust.js';

export { SUBSCRIPTIONS };

/** Every field there is of Query and Mutation, room by room. */
export const FIELDS: readonly Field[] = [
  ...memoryFields,
  ...jobFields,
  ...auditFields,
  ...authFields,
  ...brainstateFields,
  ...governanceFields,
  ...negotiationFields,
  ...privacyFields,
  ...projectionFields,
  ...replayFields,
  ...routerFields,
  ...trustFields,
];

function fieldNamed(name: string): Field {
  const found = FIELDS.find((field) => field.name === name);
  if (!found) throw new Error(`no field is named ${name}`);
  return found;
}

/** What leads from one answer to another. */
export const LINKS: readonly Link[] = [
  {
    from: 'JobRow',
    name: 'job',
    to: fieldNamed('job'),
    description: 'The whole of it.',
    args: ({ job_id }) => ({ job_id }),
  },
];
