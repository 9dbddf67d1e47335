import { MaceError } from '#lib/kernel';
import { type Content, MAX_VALUE_BYTES, refuseOversize, refuseUnfit } from '#lib/memory';

import type { AgentFault, AgentReply, AgentRequest } from '../agent.js';
import type { AgentEvidence } from '../evidence.js';
import { keyOutside } from '../keys-asked-for.js';

/** What goes to an agent over HTTP and what comes back (docs/agents.md); both forms are in docs/agents. */

/** Of the contract, in the header CONTRACT_HEADER; a change that breaks an agent raises it. */
export const CONTRACT_VERSION = '1';
export const CONTRACT_HEADER = 'mace-agent-contract';

/** Who asked, and what of memory the agent is told: all that its answer can rest on. */
export interface AskedWith {
  /** Normal form. */
  readonly user_id: string;
  /** A name for who asks that this agent alone knows them by. */
  readonly person: string;
  readonly memory: readonly AgentEvidence[];
}

/** The body of a request. @param request as it may leave */
export function turnBody(agentId: string, request: AgentRequest, { user_id, person, memory }: AskedWith): string {
  const { query_text, suggested_changes, token_budget, turn } = request;
  const { job_id, iteration, attempt, retry, intent_tags, timeout_ms } = turn;
  return JSON.stringify({
    job_id,
    turn: { iteration, attempt, retry },
    agent_id: agentId,
    person,
    intent_tags,
    query_text,
    suggested_changes,
    context: {
      memory: memory.map(({ key, value, revision }) => ({ key: keyOutside(key, user_id, person), value, revision })),
    },
    limits: { timeout_ms, tokens: token_budget },
  });
}

/** UTF-16 units of an answer (spec/decisions.md "Agents"). */
export const MAX_TEXT = 16_000;

type Members = Readonly<Record<string, unknown>>;

/** Members of an answer, each with its form in words and a check. */
const FORMS: Readonly<Record<string, readonly [form: string, fits: (value: unknown) => boolean]>> = {
  outcome: ['"answer" or "declined"', (value) => value === 'answer' || value === 'declined'],
  text: [`a text of at most ${MAX_TEXT} characters`, isAnswerText],
  'confidence?': ['a number from 0 to 1', (value) => typeof value === 'number' && value >= 0 && value <= 1],
  'reasoning_trace?': ['a list of at most 100 texts', isTrace],
  'tokens?': ['a whole number from 0', (value) => Number.isSafeInteger(value) && Number(value) >= 0],
  'evidence?': ['a list of at most 100 {key, revision}, each of context.memory', isEvidence],
  'memory_write?': [`{attribute, value}, each as memory takes it, at most ${MAX_VALUE_BYTES} bytes`, isWrite],
};
const ATTRIBUTE = /^[a-z0-9][a-z0-9_]{0,63}$/;
const MOST_STEPS = 100;

/** What an agent made of its turn, held to the form of an answer. No reason quotes what it said. */
export function replyIn(bytes: Buffer, told: AskedWith): AgentReply {
  const { user_id, memory } = told;
  const given = parsed(bytes);
  if (given === undefined) return fault('it is no JSON in UTF-8', 'RemoteNotJson');
  if (!isObject(given)) return fault('it is no JSON object', 'RemoteNotSchema');
  const wrong = formFault(given) ?? madeUpIn(given, told);
  if (wrong !== null) return fault(wrong, 'RemoteNotSchema');
  const { outcome, text, confidence = 0.5, reasoning_trace = [], memory_write: write } = given;
  if (outcome === 'declined') return { kind: 'declined', reason: text as string };
  const { attribute, value } = (write ?? {}) as { readonly attribute?: string; readonly value?: unknown };
  return {
    kind: 'answer',
    text: text as string,
    confidence: confidence as number,
    reasoning_trace: reasoning_trace as readonly string[],
    evidence: memory,
    memory_write:
      attribute === undefined ? null : { key: `user/profile/${user_id}/${attribute}`, value: value as string },
  };
}

/** @param what is wrong, in words of ours */
export function fault(what: string, error_class: string): AgentFault {
  return { kind: 'failed', reason: `the agent's answer: ${what}`, error_class };
}

function formFault(given: Members): string | null {
  for (const [name, [form, fits]] of Object.entries(FORMS)) {
    const plain = name.replace('?', '');
    const value = given[plain];
    if (value === undefined && name.endsWith('?')) continue;
    if (!fits(value)) return `${plain}: ${form}`;
  }
  const known = Object.keys(FORMS).map((name) => name.replace('?', ''));
  return Object.keys(given).every((name) => known.includes(name)) ? null : `only ${known.join(', ')} are members`;
}

/** What the agent was told is recorded whole, since any of it may be in the answer; what it names must be among it. */
function madeUpIn({ evidence = [] }: Members, { user_id, person, memory }: AskedWith): string | null {
  const named = evidence as readonly Pick<AgentEvidence, 'key' | 'revision'>[];
  const isKnown = (one: Pick<AgentEvidence, 'key' | 'revision'>): boolean =>
    memory.some(({ key, revision }) => keyOutside(key, user_id, person) === one.key && revision === one.revision);
  const at = named.findIndex((one) => !isKnown(one));
  return at < 0 ? null : `evidence[${at}]: not of context.memory`;
}

export function parsed(bytes: Buffer): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch {
    return undefined;
  }
}

export function isText(value: unknown): value is string {
  return typeof value === 'string' && value.isWellFormed();
}

/** Longer ones stand in no log. */
export function isAnswerText(value: unknown): value is string {
  return isText(value) && value.length <= MAX_TEXT;
}

function isTrace(value: unknown): boolean {
  return Array.isArray(value) && value.length <= MOST_STEPS && value.every(isText);
}

function isEvidence(value: unknown): boolean {
  const isPiece = (one: unknown): boolean =>
    isObject(one) &&
    Object.keys(one).length === 2 &&
    typeof one['key'] === 'string' &&
    Number.isSafeInteger(one['revision']);
  return Array.isArray(value) && value.length <= MOST_STEPS && value.every(isPiece);
}

function isWrite(value: unknown): boolean {
  if (!isObject(value) || Object.keys(value).length !== 2) return false;
  return typeof value['attribute'] === 'string' && ATTRIBUTE.test(value['attribute']) && isStorable(value);
}

function isStorable({ value }: Members): boolean {
  try {
    const content = { value } as unknown as Content;
    refuseOversize(content);
    refuseUnfit(content);
    return true;
  } catch (error) {
    // Its message may quote the value.
    if (error instanceof MaceError) return false;
    throw error;
  }
}

export function isObject(value: unknown): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
