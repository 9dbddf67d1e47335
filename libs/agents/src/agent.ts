import type { Json } from '#lib/kernel';

/** One turn of an agent. */
export interface AgentRequest {
  readonly query_text: string;
  /** The asking person's normal form. */
  readonly user_id: string;
  readonly depth: number;
  readonly token_budget: number;
  /** What the council asked to change in the answer before; empty on the first turn. */
  readonly suggested_changes: readonly string[];
  /** Aborted when the turn's time is over; what comes later is ignored. */
  readonly signal: AbortSignal;
}

export interface AgentEvidence {
  readonly key: string;
  readonly revision: number;
  readonly value: Json;
  readonly timestamp: string;
}

/** What an agent says; an exception that it throws is a crash, recorded as such. */
export type AgentReply =
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
    }
  /** Memory holds nothing under the exact key that the question is about; never guessed around. */
  | { readonly kind: 'miss'; readonly key: string }
  /** Not this agent's kind of question after all: the router goes on without it. */
  | { readonly kind: 'declined'; readonly reason: string }
  /** The language engine that the turn needs is out of reach. */
  | { readonly kind: 'unavailable'; readonly reason: string };

export interface Agent {
  readonly agent_id: string;
  /** True where a turn leaves the process, so that what happened before must be stored first. */
  readonly external: boolean;
  answer(request: AgentRequest): Promise<AgentReply>;
}

/** Exact-key reads of semantic memory; all an agent can do with it. */
export interface MemoryReader {
  read(key: string): Promise<AgentEvidence | null>;
}
