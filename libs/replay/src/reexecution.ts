import type { Agent, AgentEvidence, EngineAnswer } from '#lib/agents';
import type { AgentResult, Effect, EffectPorts, EffectResult, InvokeAgent } from '#lib/jobs';
import { takeLiveTurn } from '#lib/jobs';
import { MaceError } from '#lib/kernel';

import type { EffectSupplier, SuppliedRun } from './replay-job.js';
import { ReplayTimeoutError } from './replay-limits.js';
import type { SandboxData } from './sandbox/messages.js';
import { Sandbox, SandboxEndedError } from './sandbox/sandbox.js';

/** What a language engine is to have said to an agent. */
export interface Mock {
  readonly agent_id: string;
  readonly reply: string;
}

/** Agents whose words are a language engine's: run again only on words that somebody gives. */
export const ENGINE_AGENTS = ['creative_agent', 'strategy_agent', 'generic_agent'] as const;
/** Agents whose answer follows from the question and what they read. */
const DETERMINISTIC_AGENTS: readonly string[] = [
  'profile_agent',
  'knowledge_agent',
  'operational_agent',
  'math_agent',
  'verification_agent',
];

export interface ReexecutionParts {
  readonly math: EffectPorts['math'];
  readonly mayRead: EffectPorts['memory']['mayRead'];
  readonly aliases: SandboxData['aliases'];
}

export interface ReexecutionOrder {
  readonly mocks: readonly Mock[];
  /** Whether deterministic agents are run again too; those that have a mock always are. */
  readonly all: boolean;
}

type Recorded = Extract<AgentResult, { time_ms: number } | { kind: 'violation' }>;

/** Runs agents again, in a sandbox, on what the record says that they read (spec/replay.md, "Modes"). */
export class Reexecution {
  constructor(private readonly parts: ReexecutionParts) {}

  /** @throws MaceError INVALID_INPUT for a mock of an agent that asks no engine */
  async during<T>(order: ReexecutionOrder, replay: (effects: EffectSupplier) => Promise<T>): Promise<T> {
    for (const { agent_id } of order.mocks) {
      if ((ENGINE_AGENTS as readonly string[]).includes(agent_id)) continue;
      throw new MaceError('INVALID_INPUT', `mocks.agent_id: one of ${ENGINE_AGENTS.join(', ')}`);
    }
    const sandbox = new Sandbox({ aliases: this.parts.aliases, foreign: [] });
    try {
      return await replay(new SandboxedEffects(this.parts, order, (id) => sandbox.agent(id)));
    } finally {
      await sandbox.close();
    }
  }
}

/** Answers turns by running them again, and everything else from the record. */
class SandboxedEffects implements EffectSupplier {
  constructor(
    private readonly parts: ReexecutionParts,
    private readonly order: ReexecutionOrder,
    private readonly agentOf: (agentId: string) => Agent,
  ) {}

  supply(effect: Effect, recorded: EffectResult | null, run: SuppliedRun): Promise<EffectResult | null> {
    if (effect.kind !== 'invoke_agent' || recorded === null) return Promise.resolve(recorded);
    const before = recorded as AgentResult;
    // That a turn took too long, or crashed, follows from no question: it is taken as it was.
    if (before.kind === 'timeout' || before.kind === 'exception') return Promise.resolve(before);
    // What answered elsewhere is not here, whatever its agent is called.
    if ('call' in before) return Promise.resolve(before);
    const mock = this.order.mocks.find(({ agent_id }) => agent_id === effect.agent_id);
    const again = mock !== undefined || (this.order.all && DETERMINISTIC_AGENTS.includes(effect.agent_id));
    return again ? this.turn(effect, before, mock, run) : Promise.resolve(before);
  }

  private async turn(
    effect: InvokeAgent,
    before: Recorded,
    mock: Mock | undefined,
    { input, deadline }: SuppliedRun,
  ): Promise<AgentResult> {
    const policy = input.modules.find(({ node_id }) => node_id === effect.node_id)?.policy;
    if (!policy) return before;
    const { math, mayRead } = this.parts;
    const result = await takeLiveTurn(
      {
        agent: this.agentOf(effect.agent_id),
        policy,
        effect: { ...effect, timeout_ms: Math.min(effect.timeout_ms, Math.ceil(deadline.left)) },
        input,
        abandoned: new AbortController().signal,
      },
      {
        ports: {
          memory: { read: (key) => Promise.resolve(readIn(before, effect, key)), mayRead },
          language: mock ? { ask: () => Promise.resolve(spoken(mock, before)) } : null,
          math,
        },
        keep: () => Promise.resolve({ evidence_ref: before.kind === 'violation' ? before.evidence_ref : null }),
        crashed: ({ error_class }) => Promise.resolve({ error_class }),
        lateAnswers: { record: () => undefined },
        clock: () => 0,
      },
    );
    // That the sandbox gave no answer says nothing of the record, whose turn was answered then.
    if (result.kind === 'timeout' || (result.kind === 'exception' && result.reason === SandboxEndedError.name)) {
      deadline.check(null);
      throw new ReplayTimeoutError({ limit: 'agent_timeout_ms', allowed: effect.timeout_ms, event_number: null });
    }
    // How long it took was measured then, and is no part of what is compared.
    return 'time_ms' in result && 'time_ms' in before ? { ...result, time_ms: before.time_ms } : result;
  }
}

/** What the record says that an agent read, and of what it was to check what the answer before it read. */
function readIn(before: Recorded, { candidate }: InvokeAgent, key: string): AgentEvidence | null {
  const own = before.kind === 'answer' ? before.evidence : [];
  return [...own, ...(candidate?.evidence ?? [])].find((piece) => piece.key === key) ?? null;
}

const NAMED = /^asked (.*) at (.*)$/s;

/** A mock speaks in the name of the engine that was recorded, so that what differs is its words. */
function spoken({ reply }: Mock, before: Recorded): EngineAnswer {
  const trace = before.kind === 'answer' ? before.reasoning_trace : [];
  const [, model = 'mock', provider = 'mock'] = trace.map((line) => NAMED.exec(line)).find((found) => found) ?? [];
  const failures = 'failures' in before && before.failures ? before.failures : [];
  return { completion: { text: reply, finished: true, provider, model }, failures };
}
