import { A2AError, VersionNotSupportedError } from '@a2a-js/sdk/errors';
import { JsonRpcTransportHandler, ServerCallContext } from '@a2a-js/sdk/server';
import type { FastifyRequest } from 'fastify';

import { MaceError } from '#lib/kernel';

import { wordFailure } from '../edge/answer-failure.js';
import type { Operations } from '../edge/ask-operation.js';
import type { FailureListener } from '../edge/failure-listener.js';
import { personalDataIn } from '../edge/personal-data-in.js';
import type { A2aDto } from './a2a.dto.js';
import { A2A_VERSION } from './agent-card.js';
import { RPC_CODES, rpcCodeOf, rpcError } from './rpc-error.js';
import { JobTasks } from './tasks.js';

export interface A2aParts {
  readonly operations: Operations;
  readonly listener: FailureListener;
  readonly isPersonal: (text: string) => boolean;
}

/** A patch of a version changes nothing (A2A 1.0, 3.6). */
const SPOKEN = new RegExp(`^${A2A_VERSION.replace('.', '\\.')}(?:\\.[0-9]{1,9})?$`);

/** One request of JSON-RPC, answered by the SDK's handler; each error has the envelope of every interface with it. */
export async function answerRpc(
  { operations, listener, isPersonal }: A2aParts,
  request: FastifyRequest,
  body: A2aDto,
): Promise<object> {
  // What is given back must be nothing that may not be repeated.
  if (isPersonal(JSON.stringify(body.id ?? null))) throw personalDataIn('id');
  const tasks = new JobTasks(operations, request, isPersonal);
  const version = request.headers['a2a-version'];
  const handler = new JsonRpcTransportHandler(tasks);
  const answer =
    typeof version === 'string' && SPOKEN.test(version)
      ? await handler.handle({ ...body }, new ServerCallContext({ requestedVersion: A2A_VERSION }))
      : { jsonrpc: '2.0', id: body.id ?? null, error: refusedVersion() };
  if (!('error' in answer)) return answer;
  const { code, message } = answer.error as { readonly code: number; readonly message: string };
  const { thrown } = tasks;
  if (thrown === undefined || thrown instanceof A2AError) {
    const isOfForm = code === RPC_CODES.internal;
    const why = isOfForm ? `params: the form that ${body.method} has in A2A ${A2A_VERSION}` : message;
    const { envelope } = wordFailure(new MaceError('INVALID_INPUT', why), request, listener);
    return { ...answer, error: rpcError(isOfForm ? RPC_CODES.params : code, envelope) };
  }
  const { envelope, challenge, retryAfter } = wordFailure(thrown, tasks.asked, listener);
  request.mace.denied = tasks.asked.mace.denied;
  const more = { ...(challenge && { challenge }), ...(retryAfter !== undefined && { retry_after: retryAfter }) };
  return { ...answer, error: rpcError(rpcCodeOf(envelope), { ...envelope, ...more }) };
}

function refusedVersion(): object {
  return JsonRpcTransportHandler.mapToJSONRPCError(
    new VersionNotSupportedError(`A2A-Version: ${A2A_VERSION}; without the header a request is of 0.3`),
  );
}
