import { createHash } from 'node:crypto';

import { BREAK, type DocumentNode, GraphQLError, type NameNode, parse, visit } from 'graphql';

import { Leases, LruMap, UNWRAPPED_KEY_MS } from '#lib/event-store';

import type { GraphqlDto } from './graphql.dto.js';
import { GRAPHQL_LIMITS, refused } from './limits.js';

const PARSED_BYTES = 24 * 1024 * 1024;
/** A parsed document takes so many bytes for each character of its text: nodes, and the tokens that places are told by. */
const CHARACTER_BYTES = 100;
/** Texts that are known by their hash to everybody. */
const PERSISTED_BYTES = 4 * 1024 * 1024;
/** How many texts in which somebody said something are known by their hash. */
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
  /** Something that somebody said may stand in it, beside what a program asks for: nothing remembers it. */
  readonly isOwn: boolean;
}

/**
 * The documents of requests. A text can be sent once with its SHA-256 and from then on by that alone (automatic persisted
 * queries): the hash is checked, so that nobody can put a text under another's, and the oldest are forgotten. A text in
 * which somebody said something is known by its hash to them alone, so that nobody confirms a guess, and no longer than
 * their data key might be; one with personal data to nobody.
 */
export class Documents {
  private readonly parsed = new LruMap<string, Known>(PARSED_BYTES, ({ text }) => text.length * CHARACTER_BYTES);
  private readonly persisted = new LruMap<string, string>(PERSISTED_BYTES, (text) => text.length * 2);
  private readonly own = new Leases<string>(UNWRAPPED_KEY_MS, Date.now);

  constructor(private readonly isPersonal: (text: string) => boolean) {}

  /**
   * @param whose id of the principal that asks
   * @throws MaceError INVALID_INPUT; UnknownHashError; GraphQLError for what is no document
   */
  read({ query, extensions }: Pick<GraphqlDto, 'query' | 'extensions'>, whose: string): Known {
    const hash = hashIn(extensions);
    const text = query ?? (hash === undefined ? undefined : this.under(hash, whose));
    if (text === undefined) {
      if (hash !== undefined) throw new UnknownHashError();
      throw refused('a document of GraphQL, or extensions.persistedQuery with its hash');
    }
    const known = this.parse(text);
    if (query !== undefined && hash !== undefined) this.keep(hash, known, whose);
    return known;
  }

  private under(hash: string, whose: string): string | undefined {
    return this.persisted.get(hash) ?? this.own.get(`${whose} ${hash}`);
  }

  private parse(text: string): Known {
    const before = this.parsed.get(text);
    if (before) return before;
    if (text.length > GRAPHQL_LIMITS.length) throw refused(`at most ${GRAPHQL_LIMITS.length} characters`);
    const document = parsed(text);
    const isOwn = saysSomething(text, document) || this.holdsPersonal(text, document);
    const known = { text, document, isOwn };
    if (!isOwn) this.parsed.set(text, known);
    return known;
  }

  private keep(hash: string, { text, document, isOwn }: Known, whose: string): void {
    if (createHash('sha256').update(text).digest('hex') !== hash)
      throw refused('the text whose SHA-256 is extensions.persistedQuery.sha256Hash');
    if (!isOwn) this.persisted.set(hash, text);
    else if (this.own.size < KEPT_HASHES && !this.holdsPersonal(text, document))
      this.own.set(`${whose} ${hash}`, text, this.own.take());
  }

  private holdsPersonal(text: string, document: DocumentNode): boolean {
    return this.isPersonal(text) || this.isPersonal(chosenWords(document));
  }
}

/** The most digits of a number that only says how many. */
const COUNT_DIGITS = 6;

/** A value that is no word of the schema, or a comment. */
function saysSomething(text: string, document: DocumentNode): boolean {
  let found = false;
  const stop = (): typeof BREAK => {
    found = true;
    return BREAK;
  };
  const number = ({ value }: { readonly value: string }) => (value.length > COUNT_DIGITS ? stop() : undefined);
  visit(document, { StringValue: stop, IntValue: number, FloatValue: number });
  // Without texts in it, the sign stands nowhere but before a comment.
  return found || text.includes('#');
}

/** Names that are not the schema's, in words and numbers: what stands in one with `_` between is not seen in the text. */
function chosenWords(document: DocumentNode): string {
  const names: string[] = [];
  const take = (name: NameNode | undefined): void => void (name && names.push(name.value));
  visit(document, {
    Field: ({ alias }) => take(alias),
    OperationDefinition: ({ name }) => take(name),
    FragmentDefinition: ({ name }) => take(name),
    VariableDefinition: ({ variable }) => take(variable.name),
  });
  return names.map((name) => name.match(WORDS)?.join('-') ?? '').join('\n');
}

const WORDS = /[A-Za-z]+|[0-9]+/g;

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
