/** An example of the documentation: two events, and what a reader is told between them. */
export const TAILED = [
  'retry: 2000',
  'id: 40',
  '',
  'id: 41',
  'data: {"event_id":"3b1f…","stream":"negotiation-plan-7","revision":1,"position":"41","type":"VOTE_CAST","redacted":true,"data":{"score":8.5,"strengths":"[redacted]"}}',
  '',
  ': still here',
  '',
  'event: closed',
  'data: {"error_code":"DATA_UNAVAILABLE","reason":"server_stopping","resume_after":"41"}',
  '',
  '',
].join('\n');
