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
