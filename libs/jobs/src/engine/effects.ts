import type { AgentSaid, RemoteCall } from '#lib/agents';
import type { Candidate, CollectedVotes, CriticSeat } from '#lib/council';
import type { ErrorCode, Json } from '#lib/kernel';
import type { PiiFlagged } from '#lib/memory';

import type { PlacedFinding } from '../domain/episode-redaction.js';

/** What the engine asks of the world; live effects ask the world, recorded ones the log. */
export type Effect =
  InvokeAgent | PrepareWrite | WriteMemory | CollectVotes | KeepEvidence | FindPersonal | CheckArtifacts;

export interface InvokeAgent {
  readonly kind: 'invoke_agent';
  readonly iteration: number;
  readonly attempt: number;
  /** 1 in the second try after a timeout. */
  readonly retry: 0 | 1;
  readonly agent_id: string;
  readonly node_id: string;
  readonly depth: number;
  readonly token_budget: number;
  readonly timeout_ms: number;
  /** What the council asked to change in the answer before. */
  readonly suggested_changes: readonly string[];
  /** What the question was taken for. */
  readonly intent_tags: readonly string[];
  /** The answer to be checked, where checking is what the turn is for. */
  readonly candidate?: Candidate;
  /** Memory was asked before, and holds nothing; absent where it was not. */
  readonly after_miss?: true;
}

/** Asks for the revision and time under which a write would happen now. */
export interface PrepareWrite {
  readonly kind: 'prepare_write';
  readonly key: string;
}

export interface WriteMemory {
  readonly kind: 'write_memory';
  /** The module that asked for it: one that is out of service by now writes nothing (seed 000, E). */
  readonly node_id: string;
  readonly key: string;
  readonly value: Json;
  readonly timestamp: string;
  readonly key_revision: number;
  /** sequence_index of the SEM_PUT, counted by the job. */
  readonly sequence_index: number;
}

export interface CollectVotes {
  readonly kind: 'collect_votes';
  readonly candidate: Candidate;
  /** Its AGENT_OUTPUT. */
  readonly candidate_event_id: string;
  /** Ids of the critics to ask, in order. */
  readonly critics: readonly string[];
  readonly timeout_ms: number;
  /** Absent where every critic is asked in this process. */
  readonly outside?: OutsideRound;
  /** Absent where no seat says how its critic is called. */
  readonly called?: CalledRound;
}

/** What is asked of critics at a URL, or of a language engine under a prompt. */
export interface CalledRound extends Pick<OutsideRound, 'node_id' | 'memory_write'> {
  readonly seats: readonly CriticSeat[];
}

/** What is asked of critics in the Negotiation Room (spec/negotiation-room.md, "As the answer council's outside critics"). */
export interface OutsideRound {
  readonly artifact_id: string;
  /** Those of the critics that are asked there, in order. */
  readonly critics: readonly string[];
  readonly window_s: number;
  /** The module that gave the answer. */
  readonly node_id: string;
  /** What the answer asked to be kept: no more to be shown than what is kept already. Null where nothing was. */
  readonly memory_write: { readonly key: string; readonly value: Json } | null;
}

/** Puts what an answer asked for, against the policy of its module, where evidence is kept. */
export interface KeepEvidence {
  readonly kind: 'keep_evidence';
  readonly agent_id: string;
  readonly node_id: string;
  readonly iteration: number;
  readonly attempt: number;
  readonly action: string;
  readonly target: Json;
}

/** Asks what is personal in the values that the job's episodic summary would hold. */
export interface FindPersonal {
  readonly kind: 'find_personal';
  readonly values: readonly Json[];
}

/** Asks, at the end of a job, which of the artifacts that its replay will need are not stored. */
export interface CheckArtifacts {
  readonly kind: 'check_artifacts';
  /** Ids of the snapshots that the job pinned. */
  readonly snapshots: readonly string[];
  /** Names of the outputs of which a hash alone was kept; absent where there are none. */
  readonly unkept?: readonly string[];
}

/** What a turn of an agent comes to, measured. */
export type AgentResult =
  | (AgentSaid & { readonly time_ms: number } & UnkeptOutput & OfCall)
  | ({ readonly kind: 'timeout' } & OfCall)
  | ({ readonly kind: 'exception'; readonly reason: string } & Partial<ExceptionKept> & OfCall)
  /** The agent tried what its module's policy does not allow, whatever it said afterwards. */
  | ({ readonly kind: 'violation'; readonly action: string } & EvidenceKept);

/** Present where the agent is none of the system: at which revision of its module it was called, and what came back. */
export interface OfCall {
  readonly call?: RecordedCall;
}

export interface RecordedCall extends RemoteCall {
  readonly endpoint_revision: number;
}

/** Present where the words of an answer are for this run alone, and their keyed hash is all that is recorded. */
export interface UnkeptOutput {
  readonly output_hash?: string;
}

/** What is kept of an exception that an agent raised; absent where what it gave was no reply. */
export interface ExceptionKept {
  /** Name of its class. */
  readonly error_class: string;
  /** Message and stack in the forensic store; absent where the store took nothing. */
  readonly evidence_ref: string;
}

export interface EvidenceKept {
  /** Name in the forensic store; null where the store took nothing. */
  readonly evidence_ref: string | null;
}

export interface PreparedWrite {
  readonly key_revision: number;
  readonly timestamp: string;
}

/** As recorded in MEMORY_WRITE_RESULT; `attempts` is 2 where a fault of the store made one retry necessary. */
export type WriteResult =
  | {
      readonly ok: true;
      readonly applied: boolean;
      readonly revision: number;
      readonly event_id: string;
      readonly attempts: number;
    }
  | {
      readonly ok: false;
      readonly error_code: ErrorCode;
      readonly attempts: number;
      /** Name of the fault; never a value. */
      readonly fault: string;
      /** What kept it from being stored, where that was personal data. */
      readonly flagged?: PiiFlagged;
    };

export interface EffectResults {
  readonly invoke_agent: AgentResult;
  readonly prepare_write: PreparedWrite;
  readonly write_memory: WriteResult;
  readonly collect_votes: CollectedVotes;
  readonly keep_evidence: EvidenceKept;
  readonly find_personal: readonly PlacedFinding[];
  /** Names of what is missing. */
  readonly check_artifacts: readonly string[];
}

export type EffectResult = EffectResults[keyof EffectResults];
