import type { ErrorCode, ErrorEnvelope } from '#lib/kernel';

/** Errors in the form of JSON-RPC, with the codes of A2A 1.0 (5.4, 9.5) and the envelope of every interface among their details. */

export const RPC_CODES = {
  parse: -32700,
  request: -32600,
  method: -32601,
  params: -32602,
  internal: -32603,
  /** Of ours: refused for a reason that the protocol has no code for; the envelope says which. */
  refused: -32000,
  TASK_NOT_FOUND: -32001,
  TASK_NOT_CANCELABLE: -32002,
  PUSH_NOTIFICATION_NOT_SUPPORTED: -32003,
  UNSUPPORTED_OPERATION: -32004,
  CONTENT_TYPE_NOT_SUPPORTED: -32005,
  VERSION_NOT_SUPPORTED: -32009,
} as const;

export interface RpcError {
  readonly code: number;
  readonly message: string;
  readonly data: readonly object[];
}

const OF_PARAMS: readonly ErrorCode[] = ['INVALID_INPUT', 'IDEMPOTENCY_KEY_REUSED', 'JOB_SEED_CONFLICT'];

/** The code of what an operation fails with. */
export function rpcCodeOf({ error_code, status }: Pick<ErrorEnvelope, 'error_code' | 'status'>): number {
  if (OF_PARAMS.includes(error_code)) return RPC_CODES.params;
  if (error_code === 'NOT_FOUND') return RPC_CODES.TASK_NOT_FOUND;
  return status >= 500 ? RPC_CODES.internal : RPC_CODES.refused;
}

/** @param code one of A2A's own is named in the details too (`google.rpc.ErrorInfo`) */
export function rpcError(code: number, envelope: ErrorEnvelope): RpcError {
  const name = Object.entries(RPC_CODES).find(([, value]) => value === code)?.[0] ?? '';
  const info = {
    '@type': 'type.googleapis.com/google.rpc.ErrorInfo',
    reason: /^[A-Z]/.test(name) ? name : envelope.error_code,
    domain: /^[A-Z]/.test(name) ? 'a2a-protocol.org' : 'mace',
  };
  const told = { '@type': 'type.googleapis.com/google.protobuf.Struct', value: envelope };
  return { code, message: envelope.developer_message, data: [info, told] };
}

/** An answer of JSON-RPC to what is none of its requests. @param isRead whether it is JSON at all */
export function rpcFailure(envelope: ErrorEnvelope, isRead: boolean): object | undefined {
  if (envelope.error_code !== 'INVALID_INPUT') return undefined;
  const unread = /^Content-Type/.test(envelope.developer_message)
    ? RPC_CODES.CONTENT_TYPE_NOT_SUPPORTED
    : RPC_CODES.parse;
  return { jsonrpc: '2.0', id: null, error: rpcError(isRead ? RPC_CODES.request : unread, envelope) };
}
