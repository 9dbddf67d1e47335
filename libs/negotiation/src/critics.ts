import type { EventLog, Fold } from '#lib/event-store';
import { type DomainEvent, isSameBody, type JsonObject, MaceError } from '#lib/kernel';

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
import type { CallContext, MessageDigest } from './ports.js';
import { provenanceOf } from './provenance.js';
import { redactPersonal } from './redaction.js';

/** A critic, and which calls under a key were recorded of it: a retry is answered as before. */
interface KnownCritic {
  readonly critic: CriticState;
  /** The newest last; a retry comes soon. */
  readonly keyed: readonly { readonly seed: string; readonly digest: string | undefined }[];
}

const MAX_KEYED = 256;

const CRITIC_FOLD: Fold<KnownCritic> = {
  name: 'critic',
  initial: { critic: unknownCritic, keyed: [] },
  evolve: ({ critic, keyed }, event) => {
    const { job_seed: seed, request_digest: digest } = event.metadata;
    const isKeyed = digest !== undefined;
    return {
      critic: evolveCritic(critic, event),
      keyed: isKeyed ? [...keyed.slice(-MAX_KEYED + 1), { seed, digest }] : keyed,
    };
  },
};

/** What a critic says of itself. */
export interface AgentDescriptor {
  readonly agent_id: string;
  readonly name: string;
  readonly description: string;
  readonly capabilities: readonly string[];
}

/** The registry of critics: who can be expected to vote (spec/negotiation-room.md, "Wire"). */
export class Critics {
  constructor(
    private readonly log: EventLog,
    private readonly digest: MessageDigest,
  ) {}

  /** @throws MaceError INVALID_INPUT, PERMISSION_DENIED, IDEMPOTENCY_KEY_REUSED, in this order */
  async register(ctx: CallContext, agent: AgentDescriptor): Promise<void> {
    const { agent_id, capabilities } = agent;
    const own = { agent_principal: ctx.caller.principal, now: ctx.now };
    // As it was sent, too: what is too long is not read for what is personal in it.
    registerCritic(unknownCritic, { ...agent, ...own });
    assertOwn(ctx, agent_id);
    const [name, description] = await Promise.all([redactPersonal(agent.name), redactPersonal(agent.description)]);
    const described = {
      agent_id,
      name,
      description,
      capabilities: await Promise.all(capabilities.map(redactPersonal)),
    };
    await this.decide(ctx, { RegisterAgent: { ...agent } }, agent_id, (state) =>
      registerCritic(state, { ...described, ...own }),
    );
  }

  /**
   * False where the critic is not registered: then nothing is recorded.
   * @throws MaceError INVALID_INPUT, PERMISSION_DENIED, IDEMPOTENCY_KEY_REUSED, in this order
   */
  async heartbeat(ctx: CallContext, agentId: string, state: number): Promise<boolean> {
    const said = { agent_id: agentId, state, now: ctx.now };
    beat(unknownCritic, said);
    assertOwn(ctx, agentId);
    const { before, isRepeat } = await this.decide(ctx, { Heartbeat: { state } }, agentId, (known) =>
      beat(known, said),
    );
    return isRepeat || before.registered;
  }

  /**
   * False where it was not registered.
   * @throws MaceError INVALID_INPUT, PERMISSION_DENIED, IDEMPOTENCY_KEY_REUSED, in this order
   */
  async deregister(ctx: CallContext, agentId: string, said: string): Promise<boolean> {
    const farewell = { agent_id: agentId, agent_principal: ctx.caller.principal, reason: said, now: ctx.now };
    deregisterCritic(unknownCritic, farewell);
    assertOwn(ctx, agentId);
    const reason = await redactPersonal(said);
    const { before, isRepeat } = await this.decide(ctx, { DeregisterAgent: { reason: said } }, agentId, (state) =>
      deregisterCritic(state, { ...farewell, reason }),
    );
    return isRepeat || before.registered;
  }

  /** Why each of these critics could not be expected to vote at this time. */
  async standing(critics: readonly string[], now: number): Promise<Standing> {
    const states = await Promise.all(critics.map((critic) => this.log.fold(criticStream(critic), CRITIC_FOLD)));
    const reasons = new Map(critics.map((critic, i) => [critic, unavailabilityOf(states[i]!.state.critic, now)]));
    return (critic) => reasons.get(critic) ?? 'unregistered';
  }

  /** Nothing new where the same call was recorded before. A deregistered agent may come back. */
  private async decide(
    ctx: CallContext,
    message: JsonObject,
    agentId: string,
    decide: (state: CriticState) => readonly DomainEvent[],
  ): Promise<{ readonly before: CriticState; readonly isRepeat: boolean }> {
    const digests = ctx.key === null ? [] : this.digest(message);
    const [requestDigest, ...earlier] = digests;
    const asked = requestDigest === undefined ? {} : { requestDigest, earlierDigests: () => earlier };
    let before = unknownCritic;
    let isRepeat = false;
    await this.log.execute({
      stream: criticStream(agentId),
      fold: CRITIC_FOLD,
      provenance: { ...provenanceOf(ctx), ...asked },
      decide: ({ critic, keyed }) => {
        before = critic;
        const first = keyed.find(({ seed }) => seed === ctx.seed);
        isRepeat = first !== undefined;
        if (!first) return decide(critic);
        if (isSameBody(first.digest, asked)) return [];
        throw new MaceError('IDEMPOTENCY_KEY_REUSED', 'x-idempotency-key: seen before with another message');
      },
    });
    return { before, isRepeat };
  }
}

/** Each speaks for itself only. */
function assertOwn({ caller }: CallContext, agentId: string): void {
  if (caller.rawId !== agentId) throw new MaceError('PERMISSION_DENIED', 'agent_id: the subject of your token');
}
