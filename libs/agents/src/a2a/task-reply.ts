import type { AgentFault, AgentReply } from '../agent.js';
import { fault, isAnswerText, isObject, isText, MAX_TEXT } from '../remote/turn-contract.js';

/** What an agent says by A2A, held to its form; no reason quotes it. */

const USUAL_CONFIDENCE = 0.5;
/** An id is sent back to who gave it, and stands nowhere else. */
const MAX_ID = 256;
const RESERVED_CODES = [-32_768, -32_000] as const;

/** What an answer has to name, so that it is not that to another turn. */
export interface Expected {
  /** Of the request. */
  readonly id: string;
  /** Of the task that was looked at. */
  readonly task?: string;
}

/** @returns the task's id where it is not done */
export function replyOf(given: unknown, expected: Expected): AgentReply | { readonly task: string } {
  if (!isObject(given) || given['jsonrpc'] !== '2.0') return wrong('an answer of JSON-RPC 2.0');
  const { id, error, result } = given;
  // An error has none where the agent could not read the request.
  if (id !== expected.id && (id !== null || error === undefined)) return wrong('the id of the request');
  if (error !== undefined) return rpcFault(error);
  if (!isObject(result)) return wrong('a result');
  if (expected.task !== undefined)
    return result['id'] === expected.task ? replyOfTask(result) : wrong('the task that was looked at');
  const { task, message } = result;
  if (isObject(message)) return answerIn([message['parts']]);
  return isObject(task) ? replyOfTask(task) : wrong('a task or a message');
}

function replyOfTask({ id, status, artifacts }: Readonly<Record<string, unknown>>) {
  if (!isObject(status)) return wrong('task.status');
  const { state, message } = status;
  const said = isObject(message) ? message['parts'] : undefined;
  switch (state) {
    case 'TASK_STATE_COMPLETED': {
      const parts = Array.isArray(artifacts)
        ? (artifacts as readonly unknown[]).map((one) => (isObject(one) ? one['parts'] : one))
        : [];
      return answerIn(parts.length > 0 ? parts : [said]);
    }
    case 'TASK_STATE_SUBMITTED':
    case 'TASK_STATE_WORKING':
      return isText(id) && id.length <= MAX_ID ? { task: id } : wrong('task.id');
    case 'TASK_STATE_REJECTED':
    case 'TASK_STATE_INPUT_REQUIRED':
    case 'TASK_STATE_AUTH_REQUIRED':
      return { kind: 'declined', reason: textIn([said]) ?? `its task is in ${state}` } as const;
    case 'TASK_STATE_FAILED':
    case 'TASK_STATE_CANCELED':
      return fault(`its task is in ${state}`, 'RemoteTaskFailed');
    default:
      return wrong('task.status.state');
  }
}

function answerIn(lists: readonly unknown[]): AgentReply {
  const text = textIn(lists);
  if (text === null) return wrong(`texts in its parts, of 1 to ${MAX_TEXT} characters together`);
  return {
    kind: 'answer',
    text,
    confidence: confidenceIn(lists),
    reasoning_trace: [],
    evidence: [],
    memory_write: null,
  };
}

/** Texts of parts, each on lines of its own; null where there is none, or one that is no text, or more than is taken. */
function textIn(lists: readonly unknown[]): string | null {
  const texts = partsIn(lists).flatMap((part) => (part['text'] === undefined ? [] : [part['text']]));
  const text = texts.length > 0 && texts.every(isText) ? texts.join('\n') : null;
  return isAnswerText(text) ? text : null;
}

/** Where a part says it as data, as MACE itself does. */
function confidenceIn(lists: readonly unknown[]): number {
  for (const { data } of partsIn(lists)) {
    const confidence = isObject(data) ? data['confidence'] : undefined;
    if (typeof confidence === 'number' && confidence >= 0 && confidence <= 1) return confidence;
  }
  return USUAL_CONFIDENCE;
}

function partsIn(lists: readonly unknown[]): readonly Readonly<Record<string, unknown>>[] {
  return lists.flatMap((parts): readonly unknown[] => (Array.isArray(parts) ? parts : [])).filter(isObject);
}

/** A code is of the agent's choice, and is recorded in plain: those alone that JSON-RPC reserves. */
function rpcFault(error: unknown): AgentFault {
  const code = isObject(error) ? error['code'] : undefined;
  if (!Number.isSafeInteger(code)) return wrong('error.code');
  const [least, most] = RESERVED_CODES;
  return Number(code) >= least && Number(code) <= most
    ? fault(`error ${Number(code)} of JSON-RPC`, `RemoteRpc${-Number(code)}`)
    : fault('an error of JSON-RPC', 'RemoteRpcOther');
}

function wrong(form: string): AgentFault {
  return fault(`A2A 1.0 asks for ${form}`, 'RemoteNotSchema');
}
