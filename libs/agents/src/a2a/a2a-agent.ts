import { setTimeout as sleep } from 'node:timers/promises';

import type { AgentReply, AgentRequest, RemoteCall } from '../agent.js';
import type { Called } from '../remote/endpoint-call.js';
import { RemoteAgent } from '../remote/remote-agent.js';
import { fault, parsed } from '../remote/turn-contract.js';
import { A2A_VERSION, type AgentCardPin } from './remote-card.js';
import { type Expected, replyOf } from './task-reply.js';

/** Where an agent answers that speaks A2A 1.0. */
export interface A2aEndpoint {
  readonly kind: 'a2a';
  /** Of its card, or of the place below which that stands. */
  readonly url: string;
  /** Variable of the environment that holds what is sent as a bearer token. */
  readonly secret_ref?: string;
  /** Its card as it was approved. */
  readonly card: AgentCardPin;
}

/** Between two looks at a task that is not done. */
const POLL_MS = [100, 250, 500, 1000];

/** An agent elsewhere that is asked by A2A: one SendMessage a turn, and looks at its task until that ends. */
export class A2aAgent extends RemoteAgent<A2aEndpoint> {
  protected async turn(request: AgentRequest): Promise<AgentReply> {
    let reply = await this.rpc('SendMessage', await this.messageOf(request), request);
    const { signal, closing = signal } = request;
    for (let looks = 0; 'task' in reply; looks++) {
      const ms = POLL_MS[Math.min(looks, POLL_MS.length - 1)];
      // Of what is called off the next call tells.
      await sleep(ms, undefined, { signal: closing, ref: false }).catch(() => undefined);
      reply = await this.rpc('GetTask', { id: reply.task }, { ...request, signal: closing }, reply.task);
    }
    return reply;
  }

  private async rpc(
    method: 'SendMessage' | 'GetTask',
    params: object,
    request: AgentRequest,
    task?: string,
  ): Promise<AgentReply | { readonly task: string }> {
    const id = `${method}.${idOf(request)}`;
    const json = JSON.stringify({ jsonrpc: '2.0', id, method, params });
    const own = { 'a2a-version': A2A_VERSION };
    const { called } = await this.post(new URL(this.endpoint.card.url), json, own, request);
    return replyIn(called, task === undefined ? { id } : { id, task });
  }

  /** Nothing of the person but the question: no name, and no context by which turns of theirs could be told. */
  private async messageOf(request: AgentRequest): Promise<object> {
    const { query_text, suggested_changes } = request;
    const { Role, SendMessageRequest } = await import('@a2a-js/sdk');
    const asked = suggested_changes.length === 0 ? [] : [`To be changed:\n${suggested_changes.join('\n')}`];
    const parts = [query_text, ...asked].map((value) => ({
      content: { $case: 'text' as const, value },
      mediaType: 'text/plain',
      filename: '',
      metadata: undefined,
    }));
    return SendMessageRequest.toJSON({
      tenant: '',
      metadata: undefined,
      message: {
        messageId: idOf(request),
        contextId: '',
        taskId: '',
        role: Role.ROLE_USER,
        parts,
        metadata: undefined,
        extensions: [],
        referenceTaskIds: [],
      },
      configuration: {
        acceptedOutputModes: ['text/plain'],
        returnImmediately: false,
        taskPushNotificationConfig: undefined,
      },
    }) as object;
  }
}

/** The same for the same turn, so that an agent can see a message that comes again. */
function idOf({ turn: { job_id, iteration, attempt, retry } }: AgentRequest): string {
  return `${job_id}.${iteration}.${attempt}.${retry}`;
}

function replyIn({ status, bytes }: Called, expected: Expected): AgentReply | { readonly task: string } {
  const call: RemoteCall = { status, bytes: bytes.length };
  if (status !== 200) return { ...fault(`status ${status}, and not 200`, `RemoteStatus${status}`), call };
  const given = parsed(bytes);
  if (given === undefined) return { ...fault('it is no JSON in UTF-8', 'RemoteNotJson'), call };
  const reply = replyOf(given, expected);
  return 'task' in reply ? reply : { ...reply, call };
}
