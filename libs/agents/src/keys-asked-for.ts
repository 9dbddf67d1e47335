import { type AliasMap, factPhrase, formatCanonicalKey, normalize } from '#lib/memory';

import type { AgentEvidence } from './evidence.js';
import type { AgentRequest } from './agent.js';
import { askedKey } from './profile-agent.js';

/** Attributes under which a fact may be stored, in the order in which they are tried. */
const ATTRIBUTES = ['definition', 'value'] as const;

/** The world keys that a question is about, the likeliest first. */
export function factKeys(aliases: AliasMap, query: string): readonly string[] {
  const alias = aliases.resolveAlias(query, null);
  if (alias?.startsWith('world/')) return [alias];
  const subject = factPhrase(query).at(-1);
  const entityId = subject === undefined ? '' : normalize(subject);
  if (entityId === '') return [];
  return ATTRIBUTES.map((attribute) => formatCanonicalKey({ scope: 'world', entityType: 'fact', entityId, attribute }));
}

/** What agents elsewhere may be told. */
export interface Outside {
  readonly aliases: AliasMap;
  /** Whether what is stored may be shown outside: nothing that the detector finds, or that a consent allows to be kept here. */
  mayLeave(piece: AgentEvidence): boolean;
  /** A text without what the detector finds: a consent lets MACE keep that, and tell nobody. */
  redact(text: string): string;
}

/** A request as it may leave. @param outside absent where nobody but the caller asks */
export function shownOutside(request: AgentRequest, outside: Outside | undefined): AgentRequest {
  if (!outside) return request;
  const redact = (text: string): string => outside.redact(text);
  const { query_text, suggested_changes } = request;
  return { ...request, query_text: redact(query_text), suggested_changes: suggested_changes.map(redact) };
}

/** A key as it may leave: of a person's own with another name in place of theirs. */
export function keyOutside(key: string, userId: string, person: string): string {
  return key
    .split('/')
    .map((part) => (part === userId ? person : part))
    .join('/');
}

/**
 * What memory holds of what a question is about, for a module whose policy lists `sem.read` itself: an empty list, which
 * allows what is not forbidden, sends nothing of memory elsewhere.
 * @param context absent where nothing of memory is within reach
 */
export async function memoryFor(
  { query_text, user_id, turn, effects }: AgentRequest,
  context: Outside | undefined,
): Promise<readonly AgentEvidence[]> {
  if (!turn.reads_memory || !context) return [];
  const { aliases } = context;
  const own = askedKey(aliases, query_text, user_id);
  const found: AgentEvidence[] = [];
  for (const key of [...(own === null ? [] : [own]), ...factKeys(aliases, query_text)]) {
    const piece = await effects.read(key);
    if (piece && context.mayLeave(piece)) found.push(piece);
  }
  return found;
}
