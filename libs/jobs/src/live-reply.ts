import type { AgentEvidence, AgentSaid, ProviderFailure } from '#lib/agents';
import type { Json } from '#lib/kernel';
import { parseCanonicalKey } from '#lib/memory';

import { outputFault } from './domain/output-limits.js';

/** A reply as it may be acted on and recorded, or what is wrong with it; no fault quotes what the reply says. */
export type CheckedReply = { readonly reply: AgentSaid } | { readonly fault: string };

type Answer = Extract<AgentSaid, { kind: 'answer' }>;
type Write = Answer['memory_write'];
type Members = Readonly<Record<string, unknown>>;

/**
 * Holds whatever an agent gave to the form of what an agent says (spec/decisions.md "Agents"), given as canonical JSON would
 * hold it. What a turn comes to besides a reply (a timeout, a violation) is the engine's to say, never an agent's.
 * Members beyond the form are left out.
 * @param mayRead whether a key is one that the turn could have read: evidence of any other is made up
 */
export function checkReply(given: unknown, mayRead: (key: string) => boolean): CheckedReply {
  if (!isObject(given)) return { fault: 'the reply is no object' };
  const tooLarge = outputFault(given);
  if (tooLarge !== null) return { fault: tooLarge };
  try {
    const reply = replyOf(given);
    refuseUnreadable(reply, mayRead);
    return { reply };
  } catch (error) {
    if (error instanceof Malformed) return { fault: error.message };
    throw error;
  }
}

class Malformed extends Error {}

function replyOf(given: Members): AgentSaid {
  const { kind } = given;
  switch (kind) {
    case 'answer':
      return answerOf(given);
    case 'miss':
      return { kind, key: textOf(given['key'], 'key') };
    case 'declined':
      return { kind, reason: textOf(given['reason'], 'reason') };
    case 'unavailable':
      return { kind, reason: textOf(given['reason'], 'reason'), ...failuresOf(given) };
    default:
      throw new Malformed('kind: allowed are answer, miss, declined and unavailable');
  }
}

/** The same whether anything is stored there: the answer that names it must not be a way to ask. */
function refuseUnreadable(reply: AgentSaid, mayRead: (key: string) => boolean): void {
  if (reply.kind !== 'answer') return;
  for (const [i, { key }] of reply.evidence.entries()) {
    if (!mayRead(key)) throw new Malformed(`evidence[${i}].key: not one that the asking person may read`);
  }
}

function answerOf(given: Members): Answer {
  const { confidence } = given;
  if (typeof confidence !== 'number' || !(confidence >= 0 && confidence <= 1)) {
    throw new Malformed('confidence: not a number from 0 to 1');
  }
  return {
    kind: 'answer',
    text: textOf(given['text'], 'text'),
    confidence,
    reasoning_trace: listOf(given['reasoning_trace'], 'reasoning_trace', textOf),
    evidence: listOf(given['evidence'], 'evidence', pieceOf),
    memory_write: writeOf(given['memory_write']),
    ...failuresOf(given),
  };
}

function pieceOf(given: unknown, name: string): AgentEvidence {
  const { key, revision, timestamp, value, consents } = objectOf(given, name);
  if (!Number.isSafeInteger(revision) || (revision as number) < 0) {
    throw new Malformed(`${name}.revision: not a whole number from 0`);
  }
  return {
    key: keyOf(key, `${name}.key`),
    revision: revision as number,
    value: valueOf(value, `${name}.value`),
    timestamp: textOf(timestamp, `${name}.timestamp`),
    ...(consents === undefined ? {} : { consents: listOf(consents, `${name}.consents`, textOf) }),
  };
}

function writeOf(given: unknown): Write {
  if (given === null) return null;
  const { key, value } = objectOf(given, 'memory_write');
  return { key: keyOf(key, 'memory_write.key'), value: valueOf(value, 'memory_write.value') };
}

function failuresOf({ failures }: Members): { failures?: readonly ProviderFailure[] } {
  return failures === undefined ? {} : { failures: listOf(failures, 'failures', failureOf) };
}

function failureOf(given: unknown, name: string): ProviderFailure {
  const { provider, kind, status } = objectOf(given, name);
  if (status !== undefined && !Number.isSafeInteger(status)) throw new Malformed(`${name}.status: not a whole number`);
  return {
    provider: textOf(provider, `${name}.provider`),
    kind: textOf(kind, `${name}.kind`) as ProviderFailure['kind'],
    ...(status === undefined ? {} : { status: status as number }),
  };
}

function keyOf(given: unknown, name: string): string {
  const key = textOf(given, name);
  try {
    parseCanonicalKey(key);
  } catch {
    throw new Malformed(`${name}: not a canonical key, scope/entity_type/entity_id/attribute`);
  }
  return key;
}

function valueOf(given: unknown, name: string): Json {
  if (given === undefined) throw new Malformed(`${name}: missing`);
  return given as Json;
}

function listOf<T>(given: unknown, name: string, one: (given: unknown, name: string) => T): readonly T[] {
  if (!Array.isArray(given)) throw new Malformed(`${name}: not a list`);
  return given.map((member: unknown, i) => one(member, `${name}[${i}]`));
}

function objectOf(given: unknown, name: string): Members {
  if (!isObject(given)) throw new Malformed(`${name}: not an object`);
  return given;
}

function textOf(given: unknown, name: string): string {
  if (typeof given !== 'string') throw new Malformed(`${name}: not a text`);
  return given;
}

function isObject(given: unknown): given is Members {
  return typeof given === 'object' && given !== null && !Array.isArray(given);
}
