/** What comes of those who follow, where they read no server-sent events. */
export const UNVERIFIED = {
  position: '42',
  stream: 'job-job:bfb1808141396b618258ab032021660b',
  revision: 3,
  reason: 'it is not what was signed',
};
export const STEP = {
  job_id: 'job:bfb1808141396b618258ab032021660b',
  stage: 'ROUTER_DECISION',
  revision: 3,
  at: '2026-11-21T12:56:19.826Z',
  ended: false,
  position: '91',
};
export const LAST_WORD = { error_code: 'DATA_UNAVAILABLE', reason: 'server_stopping', resume_after: '41-abkdncpofagh' };

/** An example of the documentation: two events, and what a reader is told between them. */
export const TAILED = [
  'retry: 2000',
  'id: 40-abkdncpofagh',
  '',
  'id: 41-abkdncpofagh',
  'data: {"event_id":"3b1f…","stream":"negotiation-plan-7","revision":1,"position":"41","type":"VOTE_CAST","redacted":true,"data":{"score":8.5,"strengths":"[redacted]"}}',
  '',
  ': still here',
  '',
  'event: closed',
  'data: {"error_code":"DATA_UNAVAILABLE","reason":"server_stopping","resume_after":"41-abkdncpofagh"}',
  '',
  '',
].join('\n');

/** A job as its owner watches it. */
export const PROGRESS = [
  'retry: 2000',
  '',
  'event: progress',
  'id: 91-abkdncpofagh',
  'data: {"job_id":"job:bfb1808141396b618258ab032021660b","stage":"ROUTER_DECISION","revision":3,"at":"2026-11-21T12:56:19.826Z","ended":false}',
  '',
  'event: closed',
  'data: {"reason":"job_ended","resume_after":"103-abkdncpofagh"}',
  '',
  '',
].join('\n');
