import type { AgentReply, AgentRequest, EffectAction } from '#lib/agents';

/** What goes between a sandbox and whoever keeps it: texts only, each one of these as JSON. */
export type ToSandbox =
  | { readonly kind: 'turn'; readonly turn: number; readonly agent_id: string; readonly request: SentRequest }
  | { readonly kind: 'result'; readonly effect: number; readonly value: unknown }
  | { readonly kind: 'refusal'; readonly effect: number; readonly action: EffectAction }
  | { readonly kind: 'fault'; readonly effect: number; readonly name: string };

export type FromSandbox =
  | { readonly kind: 'ready' }
  | { readonly kind: 'effect'; readonly turn: number; readonly effect: number; readonly ask: AskedOfHost }
  | { readonly kind: 'reply'; readonly turn: number; readonly reply: AgentReply }
  | { readonly kind: 'crash'; readonly turn: number; readonly name: string };

/** An agent's request without what is a function. */
export type SentRequest = Omit<AgentRequest, 'effects' | 'signal'>;

/** `verify` is computed inside, where it must be at once; the host is told, and its policy decides. */
export type AskedOfHost =
  | { readonly action: 'read'; readonly key: string }
  | { readonly action: 'generate'; readonly messages: unknown }
  | { readonly action: 'solve'; readonly query: string }
  | { readonly action: 'verify'; readonly query: string; readonly claim: string };

/** What a sandbox is made with. */
export interface SandboxData {
  /** Phrase and key, as the alias map of memory is made of them. */
  readonly aliases: readonly (readonly [phrase: string, key: string])[];
  /** Agents of another maker: an ES module without imports that exports `agent`. */
  readonly foreign: readonly { readonly agent_id: string; readonly source: string }[];
}

/** By the names that policies use. */
export const ACTION_OF: Readonly<Record<AskedOfHost['action'], EffectAction>> = {
  read: 'sem.read',
  generate: 'llm.generate',
  solve: 'compute',
  verify: 'compute',
};
