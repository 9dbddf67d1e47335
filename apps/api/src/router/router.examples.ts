import type { Json, JsonObject } from '#lib/kernel';

const ID = '5b7e41868e0f6ad1c2b394857a6f0e1d2c3b4a5968778695a4b3c2d13f2a9c0d';

/** POST /router/decide, as the documentation shows it. */
export const DECIDED: Json = {
  agent_id: 'math_agent',
  route_reason: 'math_detect',
  depth: 1,
  token_budget: 1536,
  route_trace: { intent: 'math', selected: 'agent:math_v1', snapshots: { router: ID, brainstate: ID, selfrep: ID } },
};

export const TRACE_FORMS: Readonly<Record<string, JsonObject>> = { route_trace: { type: 'object' } };

/** POST /router/preview, as the documentation shows it. */
export const PREVIEWED: Json = {
  proposed: false,
  snapshots: { router: ID, brainstate: ID, selfrep: ID },
  routes: [
    {
      intent_tags: ['math'],
      agent_id: 'math_agent',
      node_id: 'agent:math_v1',
      route_reason: 'math_detect',
      depth: 1,
      error_code: null,
      candidates: [{ node_id: 'agent:math_v1', final_score: 0.4945, eligible: true }],
      excluded: [{ node_id: 'agent:oracle_v1', reason: 'offline' }],
    },
  ],
};

const OR_NULL: JsonObject = { type: ['string', 'null'] };

export const PREVIEW_FORMS: Readonly<Record<string, JsonObject>> = {
  'routes.agent_id': OR_NULL,
  'routes.node_id': OR_NULL,
  'routes.route_reason': OR_NULL,
  'routes.error_code': OR_NULL,
};
