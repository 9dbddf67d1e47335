import type { AnswerCouncilPolicy, CollectedVotes, CouncilVote } from '#lib/council';
import { jobId, queryId, sha256Hex, type DomainEvent } from '#lib/kernel';
import { BUILT_IN_MODULES, ROUTER_DEFAULTS, type RouterConstants, type RoutingModule } from '#lib/routing';

import type { JobAccepted } from '../domain/jobs.events.js';
import type { PlacedFinding } from '../domain/episode-redaction.js';
import type { AgentResult, Effect, EffectResult, EvidenceKept, PreparedWrite, WriteResult } from '../engine/effects.js';
import { decideJob } from '../engine/engine.js';
import { ENGINE_VERSION, type EngineVersion } from '../engine/engine-version.js';
import type { EngineInput, JobLimits } from '../engine/input.js';
import type { NumberedEvent } from '../engine/recorder.js';

export const COLOR = 'user/profile/user_tuff/favorite_color';
export const MOMENT = '2026-01-01T00:00:00.000Z';

/** Three critics of equal weight, whose votes `votesOf` makes. */
export const COUNCIL: AnswerCouncilPolicy = {
  critics: ['critic_0', 'critic_1', 'critic_2'].map((critic_id) => ({ critic_id, weight: 1 })),
  quorum: { minimum_fraction: 0.5 },
  on_failure: 'FAIL_CLOSED',
  vote_collection_timeout_ms: 10_000,
};

const LIMITS: JobLimits = {
  agent_timeout_ms: 10_000,
  max_iterations: 10,
  max_repair_loops: 3,
  credential_threshold: 0.6,
  min_confidence_threshold: 0.5,
  answer_council: COUNCIL,
};

export interface InputOptions {
  readonly jobSeed?: string;
  /** That of now where absent. */
  readonly engineVersion?: EngineVersion;
  readonly query?: string;
  readonly accepted?: Partial<JobAccepted>;
  readonly limits?: Partial<JobLimits>;
  readonly router?: Partial<RouterConstants>;
  /** agent_ids that stay; all built-in ones where absent. */
  readonly agents?: readonly string[];
  /** Policies other than the built-in ones, by agent_id. */
  readonly policies?: Readonly<Record<string, RoutingModule['policy']>>;
  /** agent_ids of those that lack their language engine. */
  readonly mute?: readonly string[];
  /** Besides the built-in ones. */
  readonly others?: readonly RoutingModule[];
}

/** An agent elsewhere after one turn that timed out, as it began with APT_INIT. */
export const POET: RoutingModule = {
  node_id: 'agent:poet_v1',
  agent_id: 'poet_agent',
  apt: 0.2495,
  status: 'degraded',
  dependency_unhealthy: false,
  capabilities: ['creative'],
  policy: { allowed_actions: [], forbidden_actions: [] },
};
/** Nobody else writes: the agent of the system lacks its language engine. */
export const DISTRUSTED: InputOptions = {
  query: 'Write a poem about rain',
  mute: ['creative_agent'],
  others: [POET],
};

/** What an engine is given, with the constants of config/. */
export function engineInput(options: InputOptions = {}): EngineInput {
  const {
    jobSeed = 'seed-1',
    engineVersion = ENGINE_VERSION,
    query = 'What is my favorite color?',
    accepted = {},
    limits = {},
    router = {},
    agents,
    policies = {},
    mute = [],
    others = [],
  } = options;
  const modules = BUILT_IN_MODULES.filter(({ agent_id }) => agents?.includes(agent_id) ?? true).map(
    (one): RoutingModule => ({
      ...one,
      apt: 0.7,
      policy: policies[one.agent_id] ?? one.policy,
      status: 'healthy',
      dependency_unhealthy: false,
      ...(mute.includes(one.agent_id) ? { not_callable: 'no_language_engine' as const } : {}),
    }),
  );
  return {
    jobSeed,
    engineVersion,
    accepted: {
      job_id: jobId(jobSeed),
      query_id: queryId(jobSeed),
      user_id: 'user_tuff',
      source: 'user_request',
      created_at: MOMENT,
      priority: 0.5,
      persist_agent_outputs: true,
      pii_findings: [],
      blocked: false,
      query_text: query,
      query_text_hash: sha256Hex(query),
      context_tags: {},
      ...accepted,
    },
    systemVersion: 'mace-test',
    detectorVersion: '1',
    snapshotIds: { router: 'r', brainstate: 'b' },
    router: { ...ROUTER_DEFAULTS, ...router },
    brainstate: {
      attention_gain: 0.5,
      explore_bias: 0.15,
      a_decay: 0.05,
      a_gain: 0.25,
      e_decay: 0.03,
      e_gain: 0.15,
      default_wm_ttl: 3,
      promotion_references: 2,
      promotion_window: 4,
      cwm_ttl_ticks: 10,
      token_budget: 2048,
      max_depth_allowed: 2,
    },
    limits: { ...LIMITS, ...limits },
    safety: { max_answer_length: 16_000, max_note_length: 4000, refused_phrases: [] },
    modules: [...modules, ...others],
  };
}

/** The first of a few seeds for which something holds. */
export function seedWhere(holds: (seed: string) => boolean): string {
  for (let i = 0; ; i++) if (holds(`seed-${i}`)) return `seed-${i}`;
}

/** What the world says when it is asked; each list is used up in order, its last entry again and again. */
export interface Script {
  readonly turns?: readonly AgentResult[];
  readonly prepared?: readonly PreparedWrite[];
  readonly writes?: readonly WriteResult[];
  readonly kept?: readonly EvidenceKept[];
  readonly personal?: readonly (readonly PlacedFinding[])[];
  readonly votes?: readonly CollectedVotes[];
  readonly missing?: readonly (readonly string[])[];
}

export function answer(text = 'Your favorite color is blue.', more: Partial<Answer> = {}): AgentResult {
  const evidence = [{ key: COLOR, revision: 0, value: 'blue', timestamp: MOMENT }];
  return {
    kind: 'answer',
    text,
    confidence: 1,
    reasoning_trace: ['looked'],
    evidence,
    memory_write: null,
    time_ms: 1.5,
    ...more,
  };
}
type Answer = Extract<AgentResult, { kind: 'answer' }>;

export function votesOf(approvals: readonly boolean[], score = 1, change = 'Try harder.'): CollectedVotes {
  return collected(approvals.map((approve, i) => voteOf(`critic_${i}`, approve, score, change)));
}

/** What a collection brought whose window did not end. */
export function collected(
  votes: readonly CouncilVote[],
  unavailable: CollectedVotes['unavailable'] = {},
): CollectedVotes {
  return { votes, unavailable, collection_timeout_reached: false };
}

export function voteOf(council_agent_id: string, approve = true, score = 1, change = ''): CouncilVote {
  return {
    council_agent_id,
    scores: { factuality: score, coherence: score, safety: score },
    approve,
    suggested_changes: approve ? '' : change,
    note: 'n',
    confidence: 1,
  };
}

export const WRITTEN: WriteResult = { ok: true, applied: true, revision: 0, event_id: 'e'.repeat(64), attempts: 1 };

export const EVIDENCE = 'f'.repeat(64);

const WORLD: Required<Script> = {
  turns: [answer()],
  prepared: [{ key_revision: 0, timestamp: MOMENT }],
  writes: [WRITTEN],
  kept: [{ evidence_ref: EVIDENCE }],
  personal: [[]],
  votes: [votesOf([true, true, true])],
  missing: [[]],
};

/** Answers effects from a script. */
export class ScriptedWorld {
  readonly asked: Effect[] = [];
  private readonly used: Record<keyof Script, number> = {
    turns: 0,
    prepared: 0,
    writes: 0,
    kept: 0,
    personal: 0,
    votes: 0,
    missing: 0,
  };

  constructor(private readonly script: Script) {}

  perform(effect: Effect): EffectResult {
    // Every job asks it at its end, whatever it was about.
    if (effect.kind !== 'check_artifacts') this.asked.push(effect);
    switch (effect.kind) {
      case 'invoke_agent':
        return this.next('turns');
      case 'prepare_write':
        return this.next('prepared');
      case 'write_memory':
        return this.next('writes');
      case 'collect_votes':
        return this.next('votes');
      case 'keep_evidence':
        return this.next('kept');
      case 'check_artifacts':
        return this.next('missing');
      case 'find_personal':
        return this.next('personal');
    }
  }

  private next<K extends keyof Script>(kind: K): Required<Script>[K][number] {
    const list = this.script[kind] ?? WORLD[kind];
    return list[Math.min(this.used[kind]++, list.length - 1)]!;
  }
}

export interface ScriptedRun {
  readonly events: readonly NumberedEvent[];
  readonly types: readonly string[];
  readonly asked: readonly Effect[];
}

/** Runs the engine to its seal in a scripted world. */
export function runScripted(input: EngineInput, script: Script = {}): ScriptedRun {
  const world = new ScriptedWorld(script);
  const engine = decideJob(input);
  const events: NumberedEvent[] = [];
  for (let step = engine.next(); ; step = engine.next(world.perform(step.value.effect))) {
    events.push(...(step.done ? step.value : step.value.events));
    if (step.done) return { events, types: events.map(({ type }) => type), asked: world.asked };
  }
}

export function only<E extends DomainEvent>(events: readonly E[], type: string): E {
  const found = events.filter((event) => event.type === type);
  if (found.length !== 1) throw new Error(`${found.length} events ${type}`);
  return found[0]!;
}
