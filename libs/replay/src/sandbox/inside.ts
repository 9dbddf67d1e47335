import {
  type Agent,
  type AgentRequest,
  createLanguageAgents,
  EffectRefusedError,
  type EngineAnswer,
  KnowledgeAgent,
  type MathAnswer,
  MathAgent,
  OperationalAgent,
  ProfileAgent,
  type TurnEffects,
  VerificationAgent,
  verifyMathAnswer,
} from '#lib/agents';
import { AliasMap } from '#lib/memory';

import type { AskedOfHost, FromSandbox, SandboxData, SentRequest, ToSandbox } from './messages.js';

/**
 * What runs inside the sandbox's own realm: the agents, and nothing that could reach further than `post`. It is given and
 * gives texts only, so that no object of the thread's own realm ever comes in here.
 */
export class Inside {
  private readonly agents = new Map<string, Agent>();
  private readonly waiting = new Map<number, Waiting>();
  private effects = 0;

  constructor(
    private readonly post: (text: string) => void,
    aliases: SandboxData['aliases'],
  ) {
    const known = new AliasMap(aliases);
    const agents: readonly Agent[] = [
      new ProfileAgent(known),
      new KnowledgeAgent(known),
      new OperationalAgent(known),
      new MathAgent(),
      new VerificationAgent(),
      ...createLanguageAgents(false),
    ];
    for (const agent of agents) this.install(agent.agent_id, agent);
  }

  install(agentId: string, agent: Agent): void {
    this.agents.set(agentId, agent);
  }

  deliver(text: string): void {
    const message = JSON.parse(text) as ToSandbox;
    if (message.kind === 'turn') {
      void this.turn(message.turn, message.agent_id, message.request);
      return;
    }
    const waiting = this.waiting.get(message.effect);
    this.waiting.delete(message.effect);
    if (message.kind === 'result') waiting?.resolve(message.value);
    else if (message.kind === 'fault') waiting?.reject(namedError(message.name));
    else waiting?.reject(new EffectRefusedError(message.action, 'not allowed in this turn'));
  }

  private async turn(turn: number, agentId: string, request: SentRequest): Promise<void> {
    try {
      const agent = this.agents.get(agentId);
      if (!agent) throw new RangeError(`no agent ${agentId}`);
      this.say({ kind: 'reply', turn, reply: await agent.answer(this.requestOf(turn, request)) });
    } catch (error) {
      this.say({ kind: 'crash', turn, name: error instanceof Error ? error.name : 'a thrown value that is no error' });
    }
  }

  private requestOf(turn: number, request: SentRequest): AgentRequest {
    const ask = <T>(asked: AskedOfHost): Promise<T> => this.ask(turn, asked) as Promise<T>;
    const effects: TurnEffects = {
      read: (key) => ask({ action: 'read', key }),
      generate: (messages) => ask<EngineAnswer | null>({ action: 'generate', messages }),
      solve: (query) => ask<MathAnswer>({ action: 'solve', query }),
      verify: (query, claim) => {
        // Where it is refused, the turn is over, whatever is made of the verdict.
        ask({ action: 'verify', query, claim }).catch(() => undefined);
        return verifyMathAnswer(query, claim);
      },
    };
    // Nothing in here can wait for a signal: whoever keeps the sandbox ends it whole.
    return { ...request, effects, signal: undefined as never };
  }

  private ask(turn: number, ask: AskedOfHost): Promise<unknown> {
    const effect = this.effects++;
    return new Promise((resolve, reject) => {
      this.waiting.set(effect, { resolve, reject });
      this.say({ kind: 'effect', turn, effect, ask });
    });
  }

  private say(message: FromSandbox): void {
    this.post(JSON.stringify(message));
  }
}

interface Waiting {
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: Error) => void;
}

function namedError(name: string): Error {
  const error = new Error('an effect failed');
  error.name = name;
  return error;
}
