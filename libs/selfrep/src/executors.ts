import type { ActionExecutor, ApprovedAction, Execution } from '#lib/governance';
import type { JsonObject } from '#lib/kernel';

import { refuseQuarantined, refuseSamePolicy, refuseSameTarget, refuseUnlessQuarantined } from './domain/decide.js';
import { type CallTarget, checkCallTarget, checkProposedTarget } from './domain/endpoint.js';
import type { Module } from './domain/module.js';
import { parsePosting } from './domain/posting.js';
import { checkNodeId, type ModuleRequest } from './domain/registration.js';
import { requestedModule, requestedPolicy } from './domain/requested-module.js';
import type { GovernedCall, GovernedModules } from './governed-modules.js';
import { type Callability, refuseUnfit } from './ports.js';

/** The most events that one action appends to a module's stream. */
const MAX_EVENTS = 2;

type CarryOut = (payload: JsonObject, call: GovernedCall, approved: ApprovedAction) => Promise<Module>;

/** An action on a module that is there. What cannot be done is refused before anybody votes on it. */
interface OnModule {
  readonly action: string;
  /** @throws MaceError INVALID_INPUT */
  readonly wellFormed?: (payload: JsonObject) => unknown;
  /** Whether the module as it is now leaves anything to be done. @throws MaceError CONFLICT */
  readonly fits?: (payload: JsonObject, module: Module) => void;
  /** What is voted on, where that says more than was sent. */
  readonly completed?: (payload: JsonObject) => Promise<JsonObject>;
  readonly carryOut: CarryOut;
}

/** The council's actions on modules, for `ActionExecutors.plug`. */
export function moduleExecutors(modules: GovernedModules, callability: Callability): readonly ActionExecutor[] {
  const onModule = ({ action, wellFormed, fits, completed, carryOut }: OnModule): ActionExecutor => ({
    action,
    check: async (payload) => {
      checkNodeId(nodeOf(payload));
      wellFormed?.(payload);
      const module = await modules.require(nodeOf(payload));
      const whole = (await completed?.(payload)) ?? payload;
      fits?.(whole, module);
      return whole;
    },
    execute: (approved) => executed(approved, carryOut),
  });
  const described = async (target: CallTarget): Promise<JsonObject> => {
    const whole = await callability.described(target);
    // What could not be carried out is not voted on.
    checkCallTarget(whole);
    return asJson(whole);
  };
  return [
    onModule({
      action: 'module_quarantine',
      fits: (_, module) => refuseQuarantined(module),
      carryOut: (payload, call) => modules.quarantine(nodeOf(payload), call),
    }),
    onModule({
      action: 'module_release',
      fits: (_, module) => refuseUnlessQuarantined(module),
      carryOut: (payload, call) => modules.release(nodeOf(payload), call),
    }),
    onModule({
      action: 'module_policy',
      wellFormed: policyOf,
      fits: (payload, module) => refuseSamePolicy(module, policyOf(payload)),
      carryOut: (payload, call) => modules.changePolicy(nodeOf(payload), policyOf(payload), call),
    }),
    onModule({
      action: 'agent_endpoint',
      wellFormed: (payload) => checkProposedTarget(targetOf(payload)),
      completed: async (payload) => ({ ...payload, ...(await described(targetOf(payload))) }),
      fits: (payload, module) => {
        refuseSameTarget(module, targetOf(payload));
        refuseUnfit({ ...module, ...targetOf(payload) }, callability);
      },
      carryOut: (payload, call) => modules.changeCallTarget(nodeOf(payload), targetOf(payload), call),
    }),
    onModule({
      action: 'trust_override',
      wellFormed: ({ new_apt, reason }) => parsePosting('MANUAL_OVERRIDE', { new_apt: new_apt!, reason: reason! }),
      carryOut: (payload, call) => modules.override(nodeOf(payload), payload['new_apt'] as number, call),
    }),
    {
      action: 'module_register',
      // What is voted on says everything, defaults included.
      check: async (payload) => {
        const spec = requestedModule(payload['module'] as JsonObject);
        checkProposedTarget(spec);
        await modules.refuseUnregistrable(spec);
        refuseUnfit(spec, callability);
        return { ...payload, module: { ...asJson(spec), ...(await described(spec)) } };
      },
      execute: (approved) =>
        executed(approved, (payload, call, { requested }) =>
          modules.register(payload['module'] as unknown as ModuleRequest, requested.requested_by, call),
        ),
    },
  ];
}

async function executed(approved: ApprovedAction, carryOut: CarryOut): Promise<Execution> {
  const { payload, requestId: request_id, approval, requested, now } = approved;
  const reason = typeof payload['reason'] === 'string' ? payload['reason'] : requested.justification;
  const call: GovernedCall = {
    request_id,
    authority: approval.approval_type === 'emergency' ? 'emergency' : 'council',
    reason,
    provenance: approved.provenance(0),
    now,
  };
  const { node_id, health, position } = await carryOut(payload, call, approved);
  return { events: MAX_EVENTS, result: { node_id, status: health.status, apt: health.apt, position } };
}

function policyOf({ policy }: JsonObject) {
  return requestedPolicy(policy as JsonObject);
}

function targetOf({ endpoint, prompt }: JsonObject): CallTarget {
  const target = { ...(endpoint === undefined ? {} : { endpoint }), ...(prompt === undefined ? {} : { prompt }) };
  return target as unknown as CallTarget;
}

function asJson(value: object): JsonObject {
  return value as JsonObject;
}

function nodeOf(payload: JsonObject): string {
  return payload['node_id'] as string;
}
