/** What a stream may be called in a diff: the kinds that are told as states, and what other streams' names begin with. */
export const HISTORY_KINDS = [
  'memory',
  'module',
  'policy',
  'request',
  'brainstate',
  'access',
  'amendment',
  'consent',
  'dsr',
  'forensic',
  'identity',
  'incident',
  'job',
  'negotiation',
  'principal',
  'replay',
  'snapshot',
  'system',
] as const;
export type HistoryKind = (typeof HISTORY_KINDS)[number];
