import { readdirSync, readFileSync } from 'node:fs';

/** The conventions of spec/api.md, "REST", held against the description; that it is the one that is served, another test holds. */

interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly minLength?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
}
interface Operation {
  readonly operationId: string;
  readonly parameters: readonly { readonly name: string; readonly in: string; readonly schema: Schema }[];
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: Schema }>> };
  readonly responses: Readonly<Record<string, { readonly content?: Readonly<Record<string, { schema: Schema }>> }>>;
}
interface Description {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
}

const { paths, components } = JSON.parse(readFileSync('libs/client/openapi.json', 'utf8')) as Description;
const operations = Object.entries(paths).flatMap(([path, verbs]) =>
  Object.entries(verbs).map(([verb, operation]) => [`${verb.toUpperCase()} ${path}`, operation] as const),
);

function resolved(schema: Schema): Schema {
  return schema.$ref === undefined ? schema : components.schemas[schema.$ref.split('/').at(-1)!]!;
}

function answerOf({ responses }: Operation): Schema {
  const [, usual] = Object.entries(responses).find(([status]) => status.startsWith('2')) ?? [];
  return resolved(usual?.content?.['application/json']?.schema ?? {});
}

function named({ parameters }: Operation, where: string): string[] {
  return parameters.filter((one) => one.in === where).map(({ name }) => name);
}

const lists = operations.filter(([, operation]) => answerOf(operation).properties?.['items']?.type === 'array');

it('answers every list in pages, with the position that it includes', () => {
  expect(lists.length).toBeGreaterThan(20);
  const odd = lists.flatMap(([name, operation]) => {
    const { required = [] } = answerOf(operation);
    const limit = operation.parameters.find((one) => one.name === 'limit')?.schema;
    return [
      ...['items', 'next_cursor', 'position'].filter((member) => !required.includes(member)),
      ...['limit', 'cursor'].filter((one) => !named(operation, 'query').includes(one)),
      ...(limit?.minimum === 1 && limit.maximum === 200 ? [] : ['limit is not 1 to 200']),
    ].map((what) => `${name}: ${what}`);
  });
  expect(odd).toEqual([]);
});

it('takes no empty part of a path', () => {
  const empty = operations.flatMap(([name, { parameters }]) =>
    parameters
      .filter((one) => one.in === 'path' && !((one.schema.minLength ?? 0) > 0))
      .map((one) => `${name}: ${one.name}`),
  );
  expect(empty).toEqual([]);
});

it('takes an Idempotency-Key on every POST, PUT and DELETE', () => {
  const writes = operations.filter(([name]) => /^(POST|PUT|DELETE) /.test(name));
  const without = writes.filter(([, operation]) => !named(operation, 'header').includes('Idempotency-Key'));
  expect(without.map(([name]) => name)).toEqual([]);
});

/** Each row of the table of spec/api.md: what is asked for by query and body, and what is answered, `a,b?` where a member may be absent. */
const ROWS: readonly (readonly [operation: string, query: string, body: string, answer: string])[] = [
  [
    'POST /jobs',
    '',
    'query_text,user_id?,job_seed?,context_tags?,priority?,persist_agent_outputs?',
    'job_id,job_seed,created_at,status,user_message,final_answer,final_confidence,agent_id,route_reason,depth,notices,replayable,log_id,snapshots,trace_id,error?',
  ],
  ['GET /jobs', '', '', 'items'],
  ['GET /jobs/{job_id}', '', '', 'job_id,status,user_message,final_answer'],
  ['GET /jobs/{job_id}/log', '', '', 'log_id'],
  ['GET /jobs/{job_id}/events', '', '', 'items'],
  ['GET /jobs/{job_id}/explain', '', '', 'job_id'],
  ['POST /jobs/{job_id}/feedback', '', 'upvote,comment?', 'job_id'],
  ['POST /jobs/{job_id}/review', '', 'comment?', 'request_id'],
  [
    'PUT /sem/{scope}/{entity_type}/{entity_id}/{attribute}',
    '',
    'value,source?,timestamp?,notes?,meta?',
    'success,error_code,key,revision,applied,event_id',
  ],
  ['GET /sem/{scope}/{entity_type}/{entity_id}/{attribute}', 'as_of', '', 'exists,value,source,last_updated,meta'],
  ['DELETE /sem/{scope}/{entity_type}/{entity_id}/{attribute}', '', '', 'success'],
  ['GET /sem/{scope}/{entity_type}/{entity_id}/{attribute}/history', '', '', 'items'],
  ['GET /sem', 'prefix', '', 'items'],
  ['POST /sem/keys', '', 'scope,entity_type,entity_id_raw?,attribute_raw,user_id?', 'canonical_key'],
  ['GET /sem/resolve', 'text', '', 'canonical_key'],
  ['POST /router/route', '', 'query_text,user_id?,context_tags?', 'agent_id,route_reason,depth'],
  [
    'POST /router/decide',
    '',
    'query_text,user_id?,context_tags?',
    'agent_id,route_reason,depth,token_budget,route_trace',
  ],
  ['GET /reflective-logs/{log_id}', '', '', 'log_id'],
  ['PATCH /reflective-logs/{log_id}', '', '', ''],
  ['POST /reflective-logs/{log_id}/amendments', '', 'effect,changes', 'amendment_id'],
  ['GET /reflective-logs/{log_id}/amendments', '', '', 'items'],
  ['POST /reflective-logs/{log_id}/verify', '', '', 'log_id,valid'],
  ['POST /brainstate/create_snapshot', '', '', 'brainstate_snapshot_id'],
  ['GET /brainstate/{snapshot_id}', 'as_of', '', 'brainstate_snapshot_id'],
  ['POST /brainstate/insert', '', '', 'event_id'],
  ['POST /brainstate/tick', '', '', 'brainstate_snapshot_id'],
  ['POST /brainstate/query', '', '', 'max_depth_allowed,prefer_high_APT,allow_explore'],
  ['GET /modules', '', '', 'items'],
  ['GET /modules/{node_id}', 'as_of', '', 'node_id'],
  ['POST /module/register', '', '', 'node_id'],
  ['POST /module/quarantine', '', 'node_id,reason', 'node_id'],
  ['POST /modules/{node_id}/restore', '', 'reason?', 'node_id'],
  ['POST /apt/event', '', '', 'event_id'],
  ['GET /apt/{node_id}', '', '', 'node_id'],
  ['POST /apt/recompute', '', 'node_id', 'node_id'],
  ['POST /actionrequest/create', '', '', 'request_id,proposal_digest'],
  ['GET /actionrequest', '', '', 'items'],
  ['GET /actionrequest/{id}', '', '', 'request_id'],
  ['POST /actionrequest/{id}/vote', '', 'vote,proposal_digest,reason?', 'request_id'],
  ['POST /actionrequest/{id}/approve', '', 'proposal_digest', 'request_id'],
  ['POST /governance/policy/propose', '', '', 'request_id'],
  ['GET /governance/events/{id}', 'as_of', '', 'items'],
  ['POST /superadmin/override', '', '', 'request_id'],
  ['POST /pii/detect_and_handle', '', '', 'status'],
  ['POST /consents', '', 'pii_type,scope,ttl_seconds?,consent_text,job_seed?,idempotency_key?', 'consent_id'],
  ['GET /consents', '', '', 'items'],
  ['POST /consents/{consent_id}/revoke', '', '', 'consent_id'],
  ['POST /dsr/request', '', '', 'dsr_id'],
  ['GET /dsr/{dsr_id}', '', '', 'dsr_id'],
  ['POST /dsr/{dsr_id}/approve', '', '', 'dsr_id'],
  ['GET /dsr/{dsr_id}/export', '', '', 'dsr_id'],
  ['POST /events/failure', '', '', 'event_id'],
  ['GET /audit/event/{event_id}', '', '', 'event_id'],
  ['GET /audit/events', 'stream,type,from', '', 'items'],
  ['GET /audit/streams/{stream}', '', '', 'items'],
  ['GET /negotiations', '', '', 'items'],
  ['GET /negotiations/{artifact_id}', '', '', 'artifact_id'],
  ['POST /auth/revoke', '', 'token?,jti?', 'revoked'],
  ['POST /auth/step-up', '', 'otp', 'access_token,expires_in'],
  ['GET /incidents', '', '', 'items'],
  ['POST /admin/incident/ack', '', 'incident_id,note', 'incident_id'],
  ['POST /replay/request', '', 'job_id,mode?', 'replay_id,status,verdict,steps,divergence'],
  ['GET /replay/{replay_id}', '', '', 'replay_id,status,verdict,steps'],
  ['POST /replay/{replay_id}/force_continue', '', '', 'replay_id'],
  ['POST /replay/halts/{snapshot_id}/clear', '', '', 'request_id'],
  ['GET /audit/bundle/{job_id}', '', '', 'format'],
  ['GET /audit/checkpoint', '', '', 'checkpoint'],
  ['GET /audit/proof/{event_id}', '', '', 'event_id'],
  ['POST /integrity/verify', '', '', 'verification_id'],
  ['GET /projections', '', '', 'items'],
  [
    'POST /projections/{name}/rebuild',
    '',
    '',
    'rebuild_id,state,processed,total,rate,eta_seconds,live_digest,rebuilt_digest',
  ],
  [
    'GET /projections/{name}/rebuilds/{rebuild_id}',
    '',
    '',
    'rebuild_id,state,processed,total,rate,eta_seconds,live_digest,rebuilt_digest',
  ],
  ['POST /projections/{name}/rebuilds/{rebuild_id}/cancel', '', '', 'rebuild_id'],
  ['POST /projections/{name}/rebuilds/{rebuild_id}/swap', '', '', 'rebuild_id'],
  ['POST /projections/{name}/rebuilds/{rebuild_id}/rollback', '', '', 'rebuild_id'],
  ['GET /health/live', '', '', 'status'],
  ['GET /health/ready', '', '', 'status'],
  ['GET /metrics', '', '', ''],
  ['GET /events/tail', '', '', ''],
];

it.each(ROWS)('%s takes and answers what spec/api.md says', (name, query, body, answer) => {
  const operation = operations.find(([one]) => one === name)?.[1];
  expect(operation).toBeDefined();
  const here = operation!;
  expect(split(query).filter((one) => !named(here, 'query').includes(one))).toEqual([]);
  const asked = resolved(here.requestBody?.content['application/json']?.schema ?? {});
  expect(membersMissing(body, asked)).toEqual([]);
  expect(membersMissing(answer, answerOf(here))).toEqual([]);
});

function split(text: string): string[] {
  return text.split(',').filter(Boolean);
}

/** What a schema lacks of these members, or asks for otherwise. */
function membersMissing(text: string, { properties = {}, required = [] }: Schema): string[] {
  return split(text).filter((one) => {
    const name = one.replace('?', '');
    return !(name in properties) || required.includes(name) !== (name === one);
  });
}

it('lists a projection as spec/api.md says: name, position, head, lag and state', () => {
  const items = (answerOf(paths['/projections']!['get']!).properties!['items'] as { items: Schema }).items;
  expect(items.required).toEqual(expect.arrayContaining(['name', 'position', 'head', 'lag', 'state']));
  expect(items.properties!['lag']!.required).toEqual(['events', 'seconds']);
});

describe('names and positions', () => {
  it('an operation is named by its resource and what is done with it', () => {
    expect(
      operations.map(([, { operationId }]) => operationId).filter((id) => !/^[a-z]\w*\.[a-z]\w*$/.test(id)),
    ).toEqual([]);
  });

  it('a position is a text; rows of lists of 0.1 have it as `log_position`, beside the number of old', () => {
    const rows = operations.map(([place, operation]) => {
      const items = answerOf(operation).properties?.['items'] as { readonly items?: Schema } | undefined;
      return [place, resolved(items?.items ?? {}).properties ?? {}] as const;
    });
    const numbered = rows.filter(([, { position }]) => position?.type === 'number');
    expect(numbered.map(([place]) => place).sort()).toEqual([
      'GET /actionrequest',
      'GET /incidents',
      'GET /incidents/failed-writes',
      'GET /jobs',
      'GET /jobs/unreplayable',
      'GET /me/action-requests',
      'GET /me/jobs',
      'GET /negotiations',
      'GET /replay/halts',
    ]);
    for (const [, { position, log_position }] of numbered) {
      expect([position, log_position]).toMatchObject([{ deprecated: true }, { type: 'string' }]);
    }
  });
});

it('nest-cli.json names every application', () => {
  const { projects } = JSON.parse(readFileSync('nest-cli.json', 'utf8')) as { projects: object };
  expect(Object.keys(projects).sort()).toEqual(readdirSync('apps').sort());
});
