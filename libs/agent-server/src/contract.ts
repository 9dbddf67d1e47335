/** Contract 1 between MACE and an agent (docs/agents.md; docs/agents/*.schema.json). */

export const CONTRACT_VERSION = '1';

/** What MACE sends for a turn. */
export interface TurnRequest {
  readonly job_id: string;
  readonly turn: {
    /** Which choice of the router this is. */
    readonly iteration: number;
    /** One more after each repair. */
    readonly attempt: number;
    /** 1 in the second try after a timeout. */
    readonly retry: 0 | 1;
  };
  readonly agent_id: string;
  /** A name for who asks, the same in each turn, that this module alone knows them by. */
  readonly person: string;
  readonly intent_tags: readonly string[];
  readonly query_text: string;
  /** What the critics asked to change in the answer before. */
  readonly suggested_changes: readonly string[];
  readonly context: {
    /** What is stored of what the question is about, where the policy of the module lists `sem.read`. */
    readonly memory: readonly { readonly key: string; readonly value: unknown; readonly revision: number }[];
  };
  readonly limits: { readonly timeout_ms: number; readonly tokens: number };
}

/** What an agent answers. */
export interface TurnAnswer {
  /** `declined` sends the question to another agent; `answer` where absent. */
  readonly outcome?: 'answer' | 'declined';
  /** For a person, or why it is declined; at most 16,000 characters. */
  readonly text: string;
  /** From 0 to 1; 0.5 where absent. */
  readonly confidence?: number;
  /** At most 100. */
  readonly reasoning_trace?: readonly string[];
  readonly tokens?: number;
  /** What of `context.memory` the answer rests on, at most 100; what is not there is refused. */
  readonly evidence?: readonly { readonly key: string; readonly revision: number }[];
  /** What the person asked to be remembered; MACE writes it in their name, where policy and consent allow. */
  readonly memory_write?: { readonly attribute: string; readonly value: unknown };
}
