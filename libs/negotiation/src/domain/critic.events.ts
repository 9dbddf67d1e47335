import type { DomainEvent, EventDefinition, JsonObject } from '#lib/kernel';

/** Events of `critic-{agent_id}`: what the registry of critics knows (spec/negotiation-room.md, "Wire"). */

/** The states of `sw4rm.registry` that say a critic cannot vote; every other number is one that can. */
export const STATE_SHUTTING_DOWN = 11;
export const STATE_FAILED = 10;

export interface AgentRegistered {
  readonly agent_id: string;
  /** Normal form of the principal that speaks for it. */
  readonly agent_principal: string;
  readonly capabilities: readonly string[];
  readonly name: string;
  readonly description: string;
  /** The server's, ISO 8601. */
  readonly registered_at: string;
}

export interface AgentHeartbeat {
  readonly agent_id: string;
  /** AgentState of `sw4rm.registry`, as sent. */
  readonly state: number;
  /** The server's, ISO 8601. */
  readonly beat_at: string;
}

export interface AgentDeregistered {
  readonly agent_id: string;
  readonly agent_principal: string;
  readonly reason: string;
  /** The server's, ISO 8601. */
  readonly deregistered_at: string;
}

const ofAgent = (data: JsonObject): string => data['agent_principal'] as string;

export const criticEvents: readonly EventDefinition[] = [
  {
    type: 'AGENT_REGISTERED',
    version: 1,
    plain: ['agent_id', 'agent_principal', 'registered_at'],
    personal: ['name', 'description', 'capabilities'],
    subject: ofAgent,
  },
  { type: 'AGENT_HEARTBEAT', version: 1, plain: ['agent_id', 'state', 'beat_at'] },
  {
    type: 'AGENT_DEREGISTERED',
    version: 1,
    plain: ['agent_id', 'agent_principal', 'deregistered_at'],
    personal: ['reason'],
    subject: ofAgent,
  },
];

interface CriticEventData {
  readonly AGENT_REGISTERED: AgentRegistered;
  readonly AGENT_HEARTBEAT: AgentHeartbeat;
  readonly AGENT_DEREGISTERED: AgentDeregistered;
}

export function criticEvent<K extends keyof CriticEventData>(type: K, data: CriticEventData[K]): DomainEvent {
  return { type, data: data as unknown as JsonObject };
}

export function criticStream(agentId: string): string {
  return `critic-${agentId}`;
}
