import type { Json } from '#lib/kernel';

import type { TurnEffects } from './effects.js';
import type { AgentEvidence } from './evidence.js';
import type { ProviderFailure } from './language/completion.js';

export type { AgentEvidence } from './evidence.js';
export type { ProviderFailure } from './language/completion.js';

/** Which turn of which job it is. */
export interface TurnPlace {
  readonly job_id: string;
  readonly node_id: string;
  readonly iteration: number;
  readonly attempt: number;
  /** 1 in the second try after a timeout. */
  readonly retry: 0 | 1;
  /** What the question was taken for. */
  readonly intent_tags: readonly string[];
  readonly timeout_ms: number;
  /** Whether the policy of the module lists `sem.read` itself: only then memory leaves the process. */
  readonly reads_memory: boolean;
}

/** One turn of an agent. */
export interface AgentRequest {
  readonly turn: TurnPlace;
  readonly query_text: string;
  /** The asking person's normal form. */
  readonly user_id: string;
  readonly depth: number;
  readonly token_budget: number;
  /** What the council asked to change in the answer before; empty on the first turn. */
  readonly suggested_changes: readonly string[];
  /** The answer to be checked, where checking is what the turn is for. */
  readonly candidate?: ClaimToCheck;
  /** Memory was asked before, and holds nothing: what an engine says must say whose it is. Absent where it was not. */
  readonly after_miss?: true;
  /** What the turn may do; nothing else is within an agent's reach. */
  readonly effects: TurnEffects;
  /** Aborted when the turn is over before its answer; what comes later is ignored. */
  readonly signal: AbortSignal;
  /**
   * Aborted when not even a late answer is waited for: as long again after a timeout as the turn had, and at once where the
   * turn was called off. Absent where that is so once the turn is over.
   */
  readonly closing?: AbortSignal;
}

/** An answer that the council could not agree on. */
export interface ClaimToCheck {
  readonly agent_id: string;
  readonly text: string;
  readonly evidence: readonly AgentEvidence[];
}

/** What an agent says; an exception that it throws is a crash, recorded as such. */
export type AgentReply = (AgentSaid | AgentFault) & { readonly call?: RemoteCall };

/** What came over the wire in a call of a module that answers elsewhere. */
export interface RemoteCall {
  /** HTTP status; absent where none came. */
  readonly status?: number;
  /** Of the body, as far as it was read. */
  readonly bytes?: number;
  /** That the answer is signed by the key of the module; absent where the module names none. */
  readonly signed?: true;
}

/** What an agent says itself. */
export type AgentSaid =
  | {
      readonly kind: 'answer';
      /** For a person; at most 16,000 characters. */
      readonly text: string;
      /** 0 to 1. */
      readonly confidence: number;
      readonly reasoning_trace: readonly string[];
      readonly evidence: readonly AgentEvidence[];
      /** A write the asking person asked for in so many words; the engine does it, not the agent. */
      readonly memory_write: { readonly key: string; readonly value: Json } | null;
      /** Engines that were asked before the one that answered; absent where none failed. */
      readonly failures?: readonly ProviderFailure[];
    }
  /** Memory holds nothing under the exact key that the question is about; never guessed around. */
  | { readonly kind: 'miss'; readonly key: string }
  /** Not this agent's kind of question after all: the router goes on without it. */
  | { readonly kind: 'declined'; readonly reason: string }
  /** The language engine that the turn needs is out of reach. */
  | {
      readonly kind: 'unavailable';
      readonly reason: string;
      /** Every engine that was asked, in order; absent where none is configured. */
      readonly failures?: readonly ProviderFailure[];
    };

/** Why an agent elsewhere gave no reply, in words of ours: what it said itself is in no record. */
export interface AgentFault {
  readonly kind: 'failed';
  readonly reason: string;
  /** In plain, for whoever operates it, such as `RemoteStatus503`. */
  readonly error_class: string;
}

export interface Agent {
  readonly agent_id: string;
  /** True where a turn leaves the process, so that what happened before must be stored first. */
  readonly external: boolean;
  /** Without what none of its turns could answer, and what this process has not; absent where it lacks nothing. */
  readonly lacks?: 'language_engine' | undefined;
  /** Revision at which the module came to be called as this agent is; absent for those of the system. */
  readonly endpoint_revision?: number;
  answer(request: AgentRequest): Promise<AgentReply>;
}
