import type { EventLog, Fold } from '#lib/event-store';
import { MaceError, type DomainEvent } from '#lib/kernel';

import {
  beat,
  type CriticState,
  deregisterCritic,
  evolveCritic,
  registerCritic,
  unavailabilityOf,
  unknownCritic,
} from './domain/critic.js';
import { criticStream } from './domain/critic.events.js';
import type { Standing } from './domain/negotiation.js';
import type { CallContext } from './ports.js';
import { provenanceOf } from './provenance.js';
import { redactPersonal } from './redaction.js';

const CRITIC_FOLD: Fold<CriticState> = { name: 'critic', initial: unknownCritic, evolve: evolveCritic };

/** What a critic says of itself. */
export interface AgentDescriptor {
  readonly agent_id: string;
  readonly name: string;
  readonly description: string;
  readonly capabilities: readonly string[];
}

/** The registry of critics: who can be expected to vote (spec/negotiation-room.md, "Wire"). */
export class Critics {
  constructor(private readonly log: EventLog) {}

  /** @throws MaceError INVALID_INPUT, PERMISSION_DENIED */
  async register(ctx: CallContext, agent: AgentDescriptor): Promise<void> {
    const [name, description] = await Promise.all([redactPersonal(agent.name), redactPersonal(agent.description)]);
    const capabilities = await Promise.all(agent.capabilities.map(redactPersonal));
    const { principal } = ctx.caller;
    const described = { agent_id: agent.agent_id, agent_principal: principal, name, description, capabilities };
    await this.decide(ctx, agent.agent_id, (state) => registerCritic(state, { ...described, now: ctx.now }));
  }

  /** False where the critic is not registered: then nothing is recorded. @throws MaceError INVALID_INPUT, PERMISSION_DENIED */
  async heartbeat(ctx: CallContext, agentId: string, state: number): Promise<boolean> {
    const critic = await this.decide(ctx, agentId, (known) => beat(known, { agent_id: agentId, state, now: ctx.now }));
    return critic.registered;
  }

  /** False where it was not registered. @throws MaceError INVALID_INPUT, PERMISSION_DENIED */
  async deregister(ctx: CallContext, agentId: string, said: string): Promise<boolean> {
    const reason = await redactPersonal(said);
    const farewell = { agent_id: agentId, agent_principal: ctx.caller.principal, reason, now: ctx.now };
    let wasRegistered = false;
    await this.decide(ctx, agentId, (state) => {
      wasRegistered = state.registered;
      return deregisterCritic(state, farewell);
    });
    return wasRegistered;
  }

  /** Why each of these critics could not be expected to vote at this time. */
  async standing(critics: readonly string[], now: number): Promise<Standing> {
    const states = await Promise.all(critics.map((critic) => this.log.fold(criticStream(critic), CRITIC_FOLD)));
    const reasons = new Map(critics.map((critic, i) => [critic, unavailabilityOf(states[i]!.state, now)]));
    return (critic) => reasons.get(critic) ?? 'unregistered';
  }

  /** A deregistered agent may come back; each speaks for itself only. */
  private async decide(
    ctx: CallContext,
    agentId: string,
    decide: (state: CriticState) => readonly DomainEvent[],
  ): Promise<CriticState> {
    // Before anything is looked up: an id that none can have, then one that is another's.
    decide(unknownCritic);
    if (ctx.caller.rawId !== agentId) throw new MaceError('PERMISSION_DENIED', 'agent_id: the subject of your token');
    const { state } = await this.log.execute({
      stream: criticStream(agentId),
      fold: CRITIC_FOLD,
      provenance: provenanceOf(ctx),
      decide,
    });
    return state;
  }
}
