import { performance } from 'node:perf_hooks';

import type { Agent } from '#lib/agents';
import type { Json, JsonObject } from '#lib/kernel';
import { traced } from '#lib/tracing';

import type { PlacedFinding } from './domain/episode-redaction.js';
import type { EngineInput } from './engine/input.js';
import type {
  AgentResult,
  Effect,
  EffectResult,
  EvidenceKept,
  ExceptionKept,
  InvokeAgent,
  KeepEvidence,
  PreparedWrite,
  WriteMemory,
  WriteResult,
} from './engine/effects.js';
import { moduleOf } from './engine/modules.js';
import type { AskedBy, JobAccepted } from './domain/jobs.events.js';
import type { LiveEffects } from './job-runner.js';
import { collectLiveVotes, type CouncilParts } from './live-council.js';
import { type Crash, takeLiveTurn, type TurnParts } from './live-turn.js';
import type { EffectPorts } from './turn-grant.js';

/** Memory as the asking person's own explicit writes reach it. */
export interface MemoryWriter {
  /** Revision and time under which a write would happen now. */
  prepare(key: string): Promise<PreparedWrite>;
  /**
   * Appends the job's SEM_PUT, or finds it there after a crash. A store fault is a result, not an exception, and so is
   * that the module which asked is out of service: what it asked for is PERMISSION_DENIED.
   */
  write(request: OwnWrite): Promise<WriteResult>;
}

export interface OwnWrite {
  /** The module that asked for it. */
  readonly node_id: string;
  /** In that module, as the job pinned it; null where the snapshot has no such module. */
  readonly trust: number | null;
  readonly key: string;
  readonly value: Json;
  readonly timestamp: string;
  readonly key_revision: number;
  readonly sequence_index: number;
  readonly job_seed: string;
  readonly job_id: string;
  readonly user_id: string;
  /** Who asked, where that is not the person themself: it is written by their right. */
  readonly asked_by?: AskedBy;
}

/** Where evidence of a violation is kept, readable by those who investigate alone. */
export interface EvidenceKeeper {
  /** The same record is kept once, under the same name. @returns the name; null, and told to operators, where it failed */
  keep(record: JsonObject): Promise<string | null>;
}

/** Agents that can be asked here. */
export interface AgentSource {
  /** @param node_id its module, by which one is known that answers elsewhere */
  get(agent_id: string, node_id?: string): Agent | undefined;
}

export interface WorldOptions extends CouncilParts {
  readonly agents: AgentSource;
  readonly memory: EffectPorts['memory'] & MemoryWriter;
  /** What turns are granted besides memory, each under the policy of its module. */
  readonly language: EffectPorts['language'];
  readonly math: EffectPorts['math'];
  readonly evidence: EvidenceKeeper;
  readonly lateAnswers: TurnParts['lateAnswers'];
  /** Told of each exception that an agent raised in a turn; of its message and stack nothing. */
  readonly onCrash: (facts: CrashFacts) => void;
  /** Keyed hash of what an outside engine said in a job, so that equal words of two jobs are not seen to be equal. */
  readonly hashOutput: (output: JsonObject, jobSeed: string) => string;
  /** Names of what a replay of a job on these snapshots would miss. */
  readonly missingArtifacts: (snapshots: readonly string[]) => Promise<readonly string[]>;
  /** What must not stand in an episodic summary, of each value; hashes are under the job's seed. */
  readonly findPersonal: (values: readonly Json[], jobSeed: string) => readonly PlacedFinding[];
  /** Milliseconds, monotonic; for runtime metrics only. */
  readonly clock?: () => number;
}

/** Which agent raised what, in which turn of which job, and where the rest is kept. */
export interface CrashFacts extends Partial<ExceptionKept> {
  readonly job_id: string;
  readonly agent_id: string;
  readonly node_id: string;
  readonly iteration: number;
  readonly attempt: number;
}

/** What was tried against a policy, by whom and in which turn. */
type Tried = Omit<KeepEvidence, 'kind' | 'target'> & { readonly target: unknown };

/** The world as a job's engine meets it. */
export class World implements LiveEffects {
  private readonly turns: TurnParts;

  constructor(private readonly options: WorldOptions) {
    const { memory, language, math, lateAnswers, clock = () => performance.now() } = options;
    const keep: TurnParts['keep'] = (place, accepted) => this.keep(place, accepted);
    const crashed: TurnParts['crashed'] = (crash, place, accepted) => this.crashed(crash, place, accepted);
    this.turns = { ports: { memory, language, math }, keep, crashed, lateAnswers, clock };
  }

  leavesProcess(effect: Effect): boolean {
    if (effect.kind === 'write_memory') return true;
    if (effect.kind === 'collect_votes')
      return (
        effect.outside !== undefined || effect.called !== undefined || this.options.critics.leaveProcess(effect.critics)
      );
    return (
      effect.kind === 'invoke_agent' && (this.options.agents.get(effect.agent_id, effect.node_id)?.external ?? false)
    );
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
        return collectLiveVotes(effect, input, this.options, signal);
      case 'keep_evidence':
        return this.keep(effect, input.accepted);
      case 'check_artifacts':
        return [...(await this.options.missingArtifacts(effect.snapshots)), ...(effect.unkept ?? [])];
      case 'find_personal':
        return this.options.findPersonal(effect.values, input.jobSeed);
    }
  }

  private invoke(effect: InvokeAgent, input: EngineInput, abandoned: AbortSignal): Promise<AgentResult> {
    const agent = this.options.agents.get(effect.agent_id, effect.node_id);
    const module = moduleOf(input.modules, effect.node_id);
    if (!agent || !module) {
      return Promise.resolve({ kind: 'exception', reason: `no agent ${effect.agent_id} is installed` });
    }
    const { agent_id } = effect;
    return traced(
      () => ({ name: `agent ${agent_id}`, attributes: { 'mace.agent.id': agent_id } }),
      async (span) => {
        const result = await takeLiveTurn({ agent, policy: module.policy, effect, input, abandoned }, this.turns);
        span.set({ 'mace.agent.outcome': result.kind });
        if (result.kind !== 'answer') span.fail(result.kind);
        return this.asRecorded(result, effect, input);
      },
    );
  }

  /** Where a job keeps no outputs, with the hash that stands for the words of an engine outside. */
  private asRecorded(
    result: AgentResult,
    { agent_id, node_id, candidate }: InvokeAgent,
    input: EngineInput,
  ): AgentResult {
    if (input.accepted.persist_agent_outputs || result.kind !== 'answer') return result;
    // Whoever checks an answer repeats it; one that is not of the system answers elsewhere.
    const author = candidate ? (this.options.agents.get(candidate.agent_id)?.external ?? true) : false;
    if (!author && !this.options.agents.get(agent_id, node_id)?.external) return result;
    const { text, reasoning_trace, evidence, memory_write } = result;
    const said = { text, reasoning_trace, evidence, memory_write } as unknown as JsonObject;
    return { ...result, output_hash: this.options.hashOutput(said, input.jobSeed) };
  }

  private write(effect: WriteMemory, input: EngineInput): Promise<WriteResult> {
    const { kind: _, ...write } = effect;
    const { job_id, user_id, asked_by } = input.accepted;
    const by = asked_by === undefined ? {} : { asked_by };
    const trust = moduleOf(input.modules, write.node_id)?.apt ?? null;
    return this.options.memory.write({ ...write, trust, job_seed: input.jobSeed, job_id, user_id, ...by });
  }

  /** Only what follows from the job: kept again after a crash, it is the same record under the same name. */
  private async keep(tried: Tried, { job_id, user_id }: JobAccepted): Promise<EvidenceKept> {
    const { agent_id, node_id, iteration, attempt, action, target } = tried;
    const place = { job_id, user_id, agent_id, node_id, iteration, attempt };
    const record = { event_type: 'POLICY_VIOLATION', ...place, action, target: target as Json };
    return { evidence_ref: await this.options.evidence.keep(record) };
  }

  private async crashed(
    { error_class, message, stack }: Crash,
    { agent_id, node_id, iteration, attempt }: Omit<Tried, 'action' | 'target'>,
    { job_id, user_id }: JobAccepted,
  ): Promise<Partial<ExceptionKept>> {
    const place = { job_id, agent_id, node_id, iteration, attempt };
    const record = { event_type: 'AGENT_EXCEPTION', ...place, user_id, error_class, message, stack };
    const evidence_ref = await this.options.evidence.keep(record);
    const kept = { error_class, ...(evidence_ref === null ? {} : { evidence_ref }) };
    this.options.onCrash({ ...place, ...kept });
    return kept;
  }
}
