/** Things that are there from the start, and words that mean something: by the name of a member or parameter. */
export const KNOWN_THINGS: Readonly<Record<string, readonly string[]>> = {
  query_text: [
    'What is my favorite color?',
    'What is my favourite colour?',
    '2 + 2',
    'What is 6 * 7?',
    'My favorite color is green.',
    'What is the capital of France?',
    'Define Ohms Law',
    'What is my favorite food?',
    'Plan my week and tell me why.',
  ],
  text: ['favorite color', 'Call me at +44 20 7946 0018 after six.', 'Nothing to see here.', 'capital of france'],
  attribute_raw: ['Favorite Colour', 'definition', 'capital'],
  user_id: ['tuff', 'ann', 'eve', 'critic', 'nobody_at_all'],
  node_id: ['agent:fuzzed_v1', 'agent:fuzzed_v2', 'agent:math_v1', 'agent:profile_v1', 'agent:nothing_v1'],
  name: ['sem', 'jobs', 'audit', 'incidents', 'nothing'],
  asset: ['swagger-ui.css', 'swagger-ui-bundle.js', 'index.html', 'package.json'],
  stream: ['user-tuff', 'system-releases', 'system-integrity', 'system-halts'],
  type: ['JOB_ACCEPTED', 'JOB_SEALED', 'PII_CONSENT', 'agent', 'answer'],
  event_type: ['COUNCIL_APPROVAL', 'AGENT_TIMEOUT', 'POLICY_VIOLATION', 'INTEGRITY_FAILURE'],
  kind: ['sem_put', 'policy_change', 'agent_plan', 'dsr_delete'],
  policy: ['governance', 'router', 'trust', 'quorum'],
  job_seed: ['s1', 's2', 's3'],
  'Idempotency-Key': Array.from({ length: 40 }, (_, i) => `k${i}`),
  Prefer: ['respond-async'],
  'If-Match': ['"0"', '"1"', '"2"', '*'],
  as_of: ['0', '1', '5', '400', '100000'],
  from: ['0', '1', '100'],
  to: ['0', '300', '100000'],
  artifact_id: ['nothing'],
  otp: ['492039'],
  token: ['e30.e30.e30'],
};

/** Parts of the keys of values in memory. */
export const KNOWN_TOGETHER: readonly Readonly<Record<string, string>>[] = [
  ...['tuff', 'ann', 'eve', 'root'].flatMap((user) =>
    ['favorite_color', 'favorite_food'].map((attribute) => keyOf('user', 'profile', `user_${user}`, attribute)),
  ),
  keyOf('world', 'physics', 'ohms_law', 'definition'),
  keyOf('world', 'country', 'france', 'capital'),
  keyOf('job', 'note', 'n1', 'text'),
  keyOf('agent', 'state', 'critic', 'load'),
];

function keyOf(scope: string, entity_type: string, entity_id: string, attribute: string): Record<string, string> {
  return { scope, entity_type, entity_id, attribute };
}

/** Names of what only requests can make. */
export const MADE_BY_REQUESTS: readonly string[] = [
  'job_id',
  'log_id',
  'event_id',
  'event_ids',
  'consent_id',
  'dsr_id',
  'id',
  'request_id',
  'snapshot_id',
  'brainstate_snapshot_id',
  'incident_id',
  'replay_id',
  'sweep_id',
  'rerun_id',
  'rebuild_id',
  'verification_id',
  'position',
  'evidence_ref',
  'proposal_digest',
  'cursor',
  'key',
  'jti',
];
