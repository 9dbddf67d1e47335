import { performance } from 'node:perf_hooks';

import type { Agent, AgentRequest, MemoryReader } from '#lib/agents';
import { type Candidate, type Checks, type CouncilVote, type Critics, refuseAll } from '#lib/council';
import { canonicalCopy, type Json } from '#lib/kernel';

import type { EngineInput } from './engine/input.js';
import type {
  AgentResult,
  Effect,
  EffectResult,
  InvokeAgent,
  PreparedWrite,
  WriteMemory,
  WriteResult,
} from './engine/effects.js';
import type { LiveEffects } from './job-runner.js';

/** Memory as the asking person's own explicit writes reach it. */
export interface MemoryWriter {
  /** Revision and time under which a write would happen now. */
  prepare(key: string): Promise<PreparedWrite>;
  /** Appends the job's SEM_PUT, or finds it there after a crash; a store fault is a result, not an exception. */
  write(request: OwnWrite): Promise<WriteResult>;
}

export interface OwnWrite {
  readonly key: string;
  readonly value: Json;
  readonly timestamp: string;
  readonly key_revision: number;
  readonly sequence_index: number;
  readonly job_seed: string;
  readonly job_id: string;
  readonly user_id: string;
}

/** Says whether a claim holds when it is computed again; null where there is nothing to compute. */
export type Recompute = (queryText: string, answer: string) => 'agrees' | 'differs' | null;

export interface WorldOptions {
  /** By agent_id. */
  readonly agents: ReadonlyMap<string, Agent>;
  readonly memory: MemoryReader & MemoryWriter;
  readonly critics: Critics;
  readonly recompute: Recompute;
  /** Types of personal data in a text that block. */
  readonly personalDataIn: (text: string) => readonly string[];
  /** Milliseconds, monotonic; for runtime metrics only. */
  readonly clock?: () => number;
}

/** The world as a job's engine meets it. */
export class World implements LiveEffects {
  private readonly clock: () => number;

  constructor(private readonly options: WorldOptions) {
    this.clock = options.clock ?? (() => performance.now());
  }

  leavesProcess(effect: Effect): boolean {
    if (effect.kind === 'write_memory') return true;
    return effect.kind === 'invoke_agent' && (this.options.agents.get(effect.agent_id)?.external ?? false);
  }

  async perform(effect: Effect, input: EngineInput, signal: AbortSignal): Promise<EffectResult> {
    switch (effect.kind) {
      case 'invoke_agent':
        return this.invoke(effect, input, signal);
      case 'prepare_write':
        return this.options.memory.prepare(effect.key);
      case 'write_memory':
        return this.write(effect, input);
      case 'collect_votes':
        return this.vote(effect.candidate, input);
    }
  }

  private async invoke(effect: InvokeAgent, input: EngineInput, abandoned: AbortSignal): Promise<AgentResult> {
    const agent = this.options.agents.get(effect.agent_id);
    if (!agent) return { kind: 'exception', reason: `no agent ${effect.agent_id} is installed` };
    const aborter = new AbortController();
    const began = this.clock();
    let timer: NodeJS.Timeout | undefined;
    let giveUp = (): void => undefined;
    const timeout = new Promise<AgentResult>((resolve) => {
      giveUp = () => {
        aborter.abort();
        resolve({ kind: 'timeout' });
      };
      timer = setTimeout(giveUp, effect.timeout_ms);
    });
    abandoned.addEventListener('abort', giveUp);
    const { query_text, user_id } = input.accepted;
    const { depth, token_budget, suggested_changes, candidate } = effect;
    const request = {
      query_text,
      user_id,
      depth,
      token_budget,
      suggested_changes,
      ...(candidate ? { candidate } : {}),
      signal: aborter.signal,
    };
    const turn = this.turn(agent, request, began).catch((error: unknown): AgentResult => ({
      kind: 'exception',
      reason: nameOf(error),
    }));
    try {
      return await Promise.race([turn, timeout]);
    } finally {
      clearTimeout(timer);
      abandoned.removeEventListener('abort', giveUp);
    }
  }

  /** An agent that throws, or says what no record can hold, has crashed: the job goes on without it. */
  private async turn(agent: Agent, request: AgentRequest, began: number): Promise<AgentResult> {
    const reply = canonicalCopy(await agent.answer(request));
    return { ...reply, time_ms: Math.round((this.clock() - began) * 1000) / 1000 };
  }

  private write(effect: WriteMemory, input: EngineInput): Promise<WriteResult> {
    const { kind: _, ...write } = effect;
    const { job_id, user_id } = input.accepted;
    return this.options.memory.write({ ...write, job_seed: input.jobSeed, job_id, user_id });
  }

  /** A critic that crashes refuses: what could not be checked is not approved. */
  private async vote(candidate: Candidate, input: EngineInput): Promise<readonly CouncilVote[]> {
    try {
      return this.options.critics.vote(candidate, await this.check(candidate), input.safety);
    } catch (error) {
      return refuseAll(`the check ended with ${nameOf(error)}`);
    }
  }

  private async check(candidate: Candidate): Promise<Checks> {
    const evidence_holds = await Promise.all(
      candidate.evidence.map(async (piece) => {
        const now = await this.options.memory.read(piece.key);
        // A later revision does not refute what was read: the answer stands for the time of its evidence.
        return now !== null && now.revision >= piece.revision;
      }),
    );
    return {
      evidence_holds,
      recomputed:
        candidate.agent_id === 'math_agent' ? this.options.recompute(candidate.query_text, candidate.text) : null,
      personal_data: this.options.personalDataIn(candidate.text),
    };
  }
}

/** The kind of a crash, never its message: a message may quote what somebody typed. */
function nameOf(error: unknown): string {
  return error instanceof Error ? error.name : 'a thrown value that is no error';
}
