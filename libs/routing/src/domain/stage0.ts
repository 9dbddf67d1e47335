/** Switches of the nine rules (seed 001, Router sections 4 to 9). */
export interface Stage0Config {
  readonly enable_privacy: boolean;
  readonly enable_profile: boolean;
  readonly enable_math: boolean;
  readonly enable_fact: boolean;
  readonly enable_command: boolean;
  readonly enable_creative: boolean;
  readonly enable_strategy: boolean;
  readonly enable_search: boolean;
  readonly enable_generic: boolean;
}

export const STAGE0_DEFAULTS: Stage0Config = {
  enable_privacy: true,
  enable_profile: true,
  enable_math: true,
  enable_fact: true,
  enable_command: true,
  enable_creative: true,
  enable_strategy: true,
  enable_search: true,
  enable_generic: true,
};

export interface Stage0Query {
  readonly query_text: string;
  /** Absent or empty: no user, never the token's. */
  readonly user_id?: string | undefined;
  /** Part of the seed's input; no rule reads it. */
  readonly context_tags?: Readonly<Record<string, string>> | undefined;
}

/** Logged and tested strings: they never change (seed 001, Router section 9). */
export type Stage0Reason =
  'profile_lookup' | 'math_detect' | 'fact_lookup' | 'command' | 'creative' | 'strategy' | 'search' | 'fallback';

export interface Stage0Route {
  readonly agent_id: string;
  readonly route_reason: Stage0Reason;
  readonly depth: 1;
}

export interface Stage0Refusal {
  readonly error_code: 'PRIVACY_BLOCKED' | 'ROUTER_NO_MATCH';
}

interface Stage0Rule {
  readonly toggle: keyof Stage0Config;
  readonly agent_id: string;
  readonly route_reason: Stage0Reason;
  /** All must be found in the query. */
  readonly patterns: readonly RegExp[];
  readonly needsUser?: true;
}

/** The seed's expressions, word for word (section 6); the first rule that matches wins. */
const RULES: readonly Stage0Rule[] = [
  {
    toggle: 'enable_profile',
    agent_id: 'profile_agent',
    route_reason: 'profile_lookup',
    patterns: [/\bmy\b/i, /(favorite|favourite|profile|name|birthday|address|phone)/i],
    needsUser: true,
  },
  {
    toggle: 'enable_math',
    agent_id: 'math_agent',
    route_reason: 'math_detect',
    patterns: [/(\d+|\+|-|\*|\/|\^|=|integrat|differentiat|derivative|solve|calculate|compute|∫|dx|Σ|sum)/i],
  },
  {
    toggle: 'enable_fact',
    agent_id: 'knowledge_agent',
    route_reason: 'fact_lookup',
    patterns: [/^(what is|who is|when was|where is|define|explain (what|who|why))/i],
  },
  {
    toggle: 'enable_command',
    agent_id: 'operational_agent',
    route_reason: 'command',
    patterns: [/^(set|save|remember|create|delete|schedule|send|open)\b/i],
  },
  {
    toggle: 'enable_creative',
    agent_id: 'creative_agent',
    route_reason: 'creative',
    patterns: [/(write a|poem|story|compose|lyrics|song|slogan|ad copy|joke)/i],
  },
  {
    toggle: 'enable_strategy',
    agent_id: 'strategy_agent',
    route_reason: 'strategy',
    patterns: [/(plan|roadmap|strategy|best way to|how to start|optimi[sz]e|design a)/i],
  },
  {
    toggle: 'enable_search',
    agent_id: 'knowledge_agent',
    route_reason: 'search',
    patterns: [/(search|look up|find|cite|source|links|news about)/i],
  },
];

/**
 * The Stage-0 router: one query to one agent, depth always 1. Privacy is asked first (spec/decisions.md, "Routing"):
 * in the seed's order the digits of a social security number would route to math.
 */
export function routeStage0(
  query: Stage0Query,
  config: Stage0Config,
  piiDetector: (text: string) => boolean,
): Stage0Route | Stage0Refusal {
  if (config.enable_privacy && piiDetector(query.query_text)) return { error_code: 'PRIVACY_BLOCKED' };
  const text = query.query_text.toLowerCase().trim();
  const rule = RULES.find(
    ({ toggle, needsUser, patterns }) =>
      config[toggle] && (!needsUser || Boolean(query.user_id)) && patterns.every((pattern) => pattern.test(text)),
  );
  if (rule) return { agent_id: rule.agent_id, route_reason: rule.route_reason, depth: 1 };
  if (!config.enable_generic) return { error_code: 'ROUTER_NO_MATCH' };
  return { agent_id: 'generic_agent', route_reason: 'fallback', depth: 1 };
}
