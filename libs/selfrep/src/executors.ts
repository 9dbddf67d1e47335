import type { ActionExecutor, ApprovedAction, Execution } from '#lib/governance';
import type { JsonObject } from '#lib/kernel';

import type { Module } from './domain/module.js';
import type { ModulePolicy } from './domain/module.events.js';
import { checkNodeId, completeSpec, type ModuleRequest } from './domain/registration.js';
import type { GovernedCall, GovernedModules } from './governed-modules.js';

/** The most events that one action appends to a module's stream. */
const MAX_EVENTS = 2;

type CarryOut = (payload: JsonObject, call: GovernedCall, approved: ApprovedAction) => Promise<Module>;

/** The council's actions on modules, for `ActionExecutors.plug`. */
export function moduleExecutors(modules: GovernedModules): readonly ActionExecutor[] {
  const onModule = (action: string, carryOut: CarryOut): ActionExecutor => ({
    action,
    check: async (payload) => {
      checkNodeId(nodeOf(payload));
      await modules.require(nodeOf(payload));
    },
    execute: (approved) => executed(approved, carryOut),
  });
  return [
    onModule('module_quarantine', (payload, call) => modules.quarantine(nodeOf(payload), call)),
    onModule('module_release', (payload, call) => modules.release(nodeOf(payload), call)),
    onModule('module_policy', (payload, call) =>
      modules.change(nodeOf(payload), { policy: payload['policy'] as unknown as ModulePolicy }, call),
    ),
    onModule('trust_override', (payload, call) =>
      modules.override(nodeOf(payload), payload['new_apt'] as number, call),
    ),
    {
      action: 'module_register',
      // What is voted on says everything, defaults included.
      check: async (payload) => {
        const spec = completeSpec(payload['module'] as unknown as ModuleRequest);
        await modules.refuseTaken(spec.node_id);
        return { ...payload, module: spec as unknown as JsonObject };
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

function nodeOf(payload: JsonObject): string {
  return payload['node_id'] as string;
}
