import { costOf, PatternFault } from './pattern-cost.js';
import type { QueryText } from './query-text.js';

/** An intent that a deployment adds by its router policy. */
export interface OwnIntent {
  /** Regular expressions over the query as the built-in rules read it; one that is found is enough. */
  readonly patterns: readonly string[];
  /** What a module does for it; a policy that forbids one of them keeps the module out. */
  readonly actions: readonly string[];
  /** The built-in intents that it comes before; below all of them where absent. */
  readonly over?: readonly string[];
}

export type OwnIntents = Readonly<Record<string, OwnIntent>>;

/** What own patterns read of a query at most, in UTF-16 units. */
export const READ_BY_OWN = 300;
/** Steps that one pattern, and all of them together, may take at one place of a query. */
export const COST = { pattern: 4_000, policy: 8_000 } as const;
/** What all own intents may take in the policy, as UTF-8. */
export const MAX_OWN_BYTES = 64 * 1024;

/** Names that mean something else where tags and reasons stand. */
const TAKEN: readonly string[] = ['pii', 'fallback', 'fallback_generic'];

interface Compiled extends Pick<OwnIntent, 'over'> {
  readonly name: string;
  readonly patterns: readonly RegExp[];
}

const compiled = new WeakMap<OwnIntents, readonly Compiled[]>();

/**
 * The intents of a query with those of the deployment that hold: each at the end, which takes no query from a built-in
 * one, or before the first of those that it is over. By name among themselves.
 */
export function withOwn(builtIn: readonly string[], { text }: QueryText, own: OwnIntents): readonly string[] {
  const read = text.slice(0, READ_BY_OWN);
  const tags = [...builtIn];
  for (const { name, over = [], patterns } of compile(own)) {
    if (!patterns.some((pattern) => pattern.test(read))) continue;
    const place = tags.findIndex((tag) => over.includes(tag));
    tags.splice(place === -1 ? tags.length : place, 0, name);
  }
  return tags;
}

/** A policy's intents are compiled once: its snapshot never changes. */
function compile(own: OwnIntents): readonly Compiled[] {
  const known = compiled.get(own);
  if (known) return known;
  const made = Object.keys(own)
    .sort()
    .map((name): Compiled => {
      const { patterns, over = [] } = own[name]!;
      return { name, over, patterns: patterns.map((pattern) => new RegExp(pattern, 'u')) };
    });
  compiled.set(own, made);
  return made;
}

/** Of the router policy, what own intents stand beside. */
interface OwnAmongOthers {
  readonly intents: Readonly<Record<string, { readonly route_reason: string }>>;
  readonly goal_intents: Readonly<Record<string, readonly string[]>>;
  readonly own_intents?: OwnIntents;
}

/** `/pointer: why` of the first own intent that may not be so; null where all may. Their form is checked before. */
export function ownIntentsFault({ intents, goal_intents, own_intents = {} }: OwnAmongOthers): string | null {
  const bytes = new TextEncoder().encode(JSON.stringify(own_intents)).length;
  if (bytes > MAX_OWN_BYTES) return `/own_intents: ${bytes} bytes; at most ${MAX_OWN_BYTES}`;
  const reasons = Object.values(intents).map(({ route_reason }) => route_reason);
  const taken = [...Object.keys(intents), ...reasons, ...Object.keys(goal_intents), ...TAKEN];
  let all = 0;
  for (const [name, { patterns }] of Object.entries(own_intents)) {
    if (taken.includes(name))
      return `/own_intents/${name}: a name of the system; choose another, and name in over what it comes before`;
    for (const [i, pattern] of patterns.entries()) {
      const place = `/own_intents/${name}/patterns/${i}`;
      const cost = patternCost(pattern);
      if (typeof cost === 'string') return `${place}: ${cost}`;
      all += cost;
      if (!(all <= COST.policy))
        return `${place}: with it all patterns take ${all} steps at a place of a query; at most ${COST.policy}`;
    }
  }
  return null;
}

/** Steps at one place, or why it may not be a pattern. */
function patternCost(pattern: string): number | string {
  try {
    const { steps } = costOf(pattern);
    // Asked this way round, what is too large to be a number is refused too.
    if (!(steps <= COST.pattern))
      return `takes ${Number.isFinite(steps) ? steps : 'countless'} steps at a place of a query, at most ${COST.pattern}: let less repeat, and less often`;
    return new RegExp(pattern, 'u').test('') ? 'is found in every query: it needs a sign that must be there' : steps;
  } catch (error) {
    if (error instanceof PatternFault) return error.message;
    throw error;
  }
}
