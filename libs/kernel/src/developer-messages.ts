const NOT_STORED = 'SEM write for key {key} failed after {attempts} attempt(s).{why}';
const NO_ROOM = 'nothing was written: {reason}';
const STORE_AWAY = 'the event store does not answer';

/**
 * What those who run and call MACE are told, by code and situation: the table beside that of what people are told (seed
 * 001, "Developer checklist"). A placeholder is a name, an id, a key or a count, never a value that somebody stored or
 * typed. A recorded job holds its messages: those of jobs change with a new version of the engine alone.
 */
export const DEVELOPER_MESSAGES = {
  SEM_NOT_FOUND: { missing: 'SEM lookup for key {key} returned empty.' },
  SEM_WRITE_FAIL: { not_stored: NOT_STORED, store_away: STORE_AWAY },
  STORAGE_FULL: { not_stored: NOT_STORED, no_room: NO_ROOM },
  ROUTER_NO_MATCH: {
    declined: '{agent_id} declined: {reason}',
    none_serves: 'no enabled module serves this intent',
    none_serves_query: 'no enabled module serves this query',
    too_little_trust:
      '{node_id} serves this with a trust of {apt}, and is asked from {least} on; mace trust post {node_id} MANUAL_OVERRIDE asks the council to raise it',
    all_tried: 'every candidate was tried',
  },
  ROUTER_NO_SNAPSHOT: { not_stored: 'a snapshot of those in force is not stored' },
  AGENT_TIMEOUT: { no_answer: '{agent_id} gave no answer within {timeout_ms} ms' },
  AGENT_ERROR: { raised: '{agent_id} raised an exception' },
  LLM_SERVICE_DOWN: {
    none_answered: 'no language engine answered: {attempts}',
    none_configured: 'no language engine is configured (MACE_LLM_PROVIDERS)',
    unavailable: '{reason}',
  },
  COUNCIL_DEADLOCK: { no_majority: 'the critics reached no majority; a person was asked to review' },
  LOW_CONFIDENCE: { below_minimum: 'final confidence {final_confidence} is below the minimum' },
  REPAIR_LIMIT_EXCEEDED: { refused: 'the critics refused {answers} answers' },
  INVALID_INPUT: { form: '{name}: {allowed}' },
  PRIVACY_BLOCKED: {
    query: 'the query holds personal data: {types}',
    not_routed: 'the query holds personal data and is routed nowhere',
  },
  PERMISSION_DENIED: {
    not_yours: 'this key is not yours to write',
    module: '{agent_id} tried {action}, which it was not allowed',
  },
  LOG_INVALID: { quarantined: 'log {log_id} failed its check and is quarantined until an admin verifies it' },
  INTEGRITY_FAILURE: {
    stored: 'stream {stream}, revision {revision}: {reason}',
    memory: 'stream {stream} does not verify at revision {revision}',
    field: 'a personal field does not open with its key',
    artifact: 'a stored artifact is not what was put; nothing is read from it',
    evidence: 'evidence does not open with the key that it names',
  },
  DATA_UNAVAILABLE: {
    store_away: STORE_AWAY,
    store: 'the store does not answer',
    read_models: 'the read models cannot be read; what the events hold is not touched',
    key_missing: 'a data key is missing from the key store',
    key_unusable: 'a data key of the key store cannot be used',
  },
  IDEMPOTENCY_KEY_REUSED: {
    other_body: 'this Idempotency-Key came with another body before; draw a new one',
    job: 'Idempotency-Key: seen before with another body',
  },
  UNAUTHENTICATED: { refused: 'the bearer token is refused: {reason}' },
  NOT_FOUND: { route: 'no route with this method and path; /openapi.json lists them' },
  CONFLICT: {
    labelled: '{who} has labelled this log already',
    no_review: 'job {job_id} offered no human review; one follows {codes}',
    review_asked: 'the review of job {job_id} was asked for already: {request_id}',
  },
  JOB_SEED_CONFLICT: { taken: 'job_seed: taken by another request; choose a new one' },
  IMMUTABLE_FIELD: {
    log: 'ImmutableFieldError: Cannot modify {fields}. Create an Amendment instead.',
    module: 'ImmutableFieldError: Cannot modify {fields} of {node_id}.',
  },
  RATE_LIMITED: { wait: '{reason}; again in {seconds} s' },
  PRECONDITION_FAILED: { revision: 'If-Match asks for {asked}; {found}' },
  MISSING_SNAPSHOT: { not_stored: 'snapshot {snapshot_id} is not stored' },
  MISSING_PERSISTED_AGENT_OUTPUT: { not_kept: 'the job says of itself that it cannot be replayed: {artifacts}' },
  FORCE_CONTINUE_REQUIRED: {
    stopped:
      'replay {replay_id} stopped at event {event_number} ({event_type}); the council decides on {request_id}, which is {status}',
  },
  REPLAY_TIMEOUT: { over: 'the replay went over {limit} ({allowed})' },
  WAIT_TIMEOUT: { projection: 'projection {name} is {state} at position {reached}, not yet at {position}{why}' },
} as const satisfies Readonly<Record<string, Readonly<Record<string, string>>>>;

type Table = typeof DEVELOPER_MESSAGES;
export type DeveloperCode = keyof Table;
export type Situation<C extends DeveloperCode> = keyof Table[C] & string;
type Placeholders<T> = T extends `${string}{${infer Name}}${infer Rest}` ? Name | Placeholders<Rest> : never;
/** One value for each placeholder of a situation's template. */
export type MessageValues<C extends DeveloperCode, S extends Situation<C>> = Readonly<
  Record<Placeholders<Table[C][S]>, string | number>
>;

export function developerMessage<C extends DeveloperCode, S extends Situation<C>>(
  code: C,
  situation: S,
  told: MessageValues<C, S>,
): string {
  const values: Readonly<Record<string, string | number>> = told;
  return (DEVELOPER_MESSAGES[code][situation] as string).replaceAll(/\{(\w+)\}/g, (_, name: string) =>
    String(values[name]),
  );
}
