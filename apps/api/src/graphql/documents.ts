import { createHash } from 'node:crypto';

import { type DocumentNode, GraphQLError, parse } from 'graphql';

import { LruMap } from '#lib/event-store';

import type { GraphqlDto } from './graphql.dto.js';
import { GRAPHQL_LIMITS, refused } from './limits.js';

/** How many documents are kept, parsed, with what was compiled of them. */
export const KEPT_DOCUMENTS = 256;
/** How many texts are known by their hash. */
const KEPT_HASHES = 1_000;

/** A hash whose text this process does not know: whoever sent it sends the text along once. */
export class UnknownHashError extends Error {
  constructor() {
    super('PersistedQueryNotFound');
    this.name = 'UnknownHashError';
  }
}

export interface Known {
  readonly text: string;
  readonly document: DocumentNode;
}

/**
 * The documents of requests. A text can be sent once with its SHA-256 and from then on by that alone (automatic persisted
 * queries): the hash is checked, so that nobody can put a text under another's, and the oldest are forgotten.
 */
export class Documents {
  private readonly parsed = new LruMap<string, Known>(KEPT_DOCUMENTS);
  private readonly persisted = new LruMap<string, string>(KEPT_HASHES);

  /** @throws MaceError INVALID_INPUT; UnknownHashError; GraphQLError for what is no document */
  read({ query, extensions }: Pick<GraphqlDto, 'query' | 'extensions'>): Known {
    const hash = hashIn(extensions);
    const text = query ?? (hash === undefined ? undefined : this.persisted.get(hash));
    if (text === undefined) {
      if (hash !== undefined) throw new UnknownHashError();
      throw refused('a document of GraphQL, or extensions.persistedQuery with its hash');
    }
    const known = this.parse(text);
    if (query !== undefined && hash !== undefined) this.keep(hash, text);
    return known;
  }

  private parse(text: string): Known {
    const before = this.parsed.get(text);
    if (before) return before;
    if (text.length > GRAPHQL_LIMITS.length) throw refused(`at most ${GRAPHQL_LIMITS.length} characters`);
    const known = { text, document: parsed(text) };
    this.parsed.set(text, known);
    return known;
  }

  private keep(hash: string, text: string): void {
    if (createHash('sha256').update(text).digest('hex') !== hash)
      throw refused('the text whose SHA-256 is extensions.persistedQuery.sha256Hash');
    this.persisted.set(hash, text);
  }
}

function parsed(text: string): DocumentNode {
  try {
    return parse(text, { maxTokens: GRAPHQL_LIMITS.tokens });
  } catch (error) {
    // Lists within lists are read by calls within calls.
    if (error instanceof RangeError) throw refused('values that are nested less deeply');
    const isLong = error instanceof GraphQLError && error.message.includes('tokens. Parsing aborted');
    throw isLong ? refused(`at most ${GRAPHQL_LIMITS.tokens} tokens`) : error;
  }
}

/** @throws MaceError INVALID_INPUT */
function hashIn(extensions: GraphqlDto['extensions']): string | undefined {
  const asked = extensions?.['persistedQuery'];
  if (asked === undefined || asked === null) return undefined;
  const { version, sha256Hash: hash } = asked as { readonly version?: unknown; readonly sha256Hash?: unknown };
  if (version === 1 && typeof hash === 'string' && /^[0-9a-f]{64}$/.test(hash)) return hash;
  throw refused('extensions.persistedQuery as {"version": 1, "sha256Hash": 64 lower-case hex digits}');
}
