import type { UntypedServiceImplementation } from '@grpc/grpc-js';

import { MaceError } from '#lib/kernel';
import type { Critics } from '#lib/negotiation';

import { type CallParts, type Method, served } from './calls.js';
import type { WireAgent } from './proto/messages.js';

const SERVICE = 'sw4rm.registry.RegistryService';

/** The registry of critics (spec/negotiation-room.md, "Wire"). */
export function registryService(parts: CallParts, critics: Critics): UntypedServiceImplementation {
  const register: Method<{ agent: WireAgent | null }, { accepted: boolean; reason: string }> = {
    service: SERVICE,
    name: 'RegisterAgent',
    permission: 'negotiations.register',
    place: ({ agent }) => agent?.agent_id ?? '',
    async handle({ agent }, { context }) {
      if (agent === null) throw new MaceError('INVALID_INPUT', 'agent: missing');
      await critics.register(context, agent);
      return { accepted: true, reason: '' };
    },
  };
  const heartbeat: Method<{ agent_id: string; state: number }, { ok: boolean }> = {
    service: SERVICE,
    name: 'Heartbeat',
    permission: 'negotiations.register',
    place: ({ agent_id }) => agent_id,
    handle: async ({ agent_id, state }, { context }) => ({ ok: await critics.heartbeat(context, agent_id, state) }),
  };
  const deregister: Method<{ agent_id: string; reason: string }, { ok: boolean }> = {
    service: SERVICE,
    name: 'DeregisterAgent',
    permission: 'negotiations.register',
    place: ({ agent_id }) => agent_id,
    handle: async ({ agent_id, reason }, { context }) => ({
      ok: await critics.deregister(context, agent_id, reason),
    }),
  };
  return {
    RegisterAgent: served(parts, register),
    Heartbeat: served(parts, heartbeat),
    DeregisterAgent: served(parts, deregister),
  };
}
