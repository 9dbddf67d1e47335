import type { FastifyRequest } from 'fastify';

import type { PermissionName } from '#lib/access';
import { type ErrorEnvelope } from '#lib/kernel';

import { wordFailure } from '../edge/answer-failure.js';
import type { OperationAnswer, Operations } from '../edge/ask-operation.js';
import type { FaultLog } from '../edge/fault-log.js';
import { expected, memberOf } from './failures.js';
import { answerTypeOf, type Field } from './field.js';
import { type Args, givenOf } from './given.js';
import { Loader } from './loader.js';

/** What a union does not hold: it stands in `errors`, with the envelope as its extensions. */
export class SystemFault extends Error {
  constructor(readonly envelope: ErrorEnvelope) {
    super(envelope.developer_message);
    this.name = 'SystemFault';
  }
}

export interface Denied {
  readonly access: PermissionName;
  readonly reason: string;
}

/** One request of GraphQL, as its fields ask operations for it. */
export class Asking {
  /** Refusals by permission, to be counted after the answer. */
  readonly denied: Denied[] = [];
  private readonly loaders = new Map<Field, Loader>();
  private asked = 0;

  constructor(
    private readonly operations: Operations,
    readonly request: FastifyRequest,
    private readonly log: FaultLog,
  ) {}

  /** A member of the field's union. @throws SystemFault */
  async answer(field: Field, args: Args): Promise<object> {
    const { operation } = field;
    const nothing = { params: {}, query: {}, body: undefined, headers: {} };
    let asked = this.operations.requestOf(operation, nothing, this.request);
    try {
      // The request itself was counted at the gate.
      if (this.asked++ > 0) this.operations.count(this.request);
      asked = this.operations.requestOf(operation, givenOf(operation, args, this.idempotencyKey), this.request);
      return rendered(field, await this.operations.ask(operation, asked));
    } catch (error) {
      const worded = wordFailure(error, asked, this.log);
      const { denied } = asked.mace;
      if (denied !== undefined) this.denied.push({ access: operation.access, reason: denied });
      if (expected(operation.errors).includes(worded.envelope.error_code)) return memberOf(worded);
      throw new SystemFault(worded.envelope);
    }
  }

  /** The same, for a field of an item: asked once however many items want it. */
  load(field: Field, args: Args): Promise<object> {
    let loader = this.loaders.get(field);
    if (!loader) this.loaders.set(field, (loader = new Loader((wanted) => this.answer(field, wanted))));
    return loader.load(args);
  }

  private get idempotencyKey(): string | undefined {
    const key = this.request.headers['idempotency-key'];
    return typeof key === 'string' ? key : undefined;
  }
}

interface Page {
  readonly items: readonly unknown[];
  readonly next_cursor: string | null;
}

function rendered(field: Field, { body, status, etag }: OperationAnswer): object {
  if (status === 202 && field.pending !== undefined) return { __typename: field.pending, ...(body as object) };
  const __typename = answerTypeOf(field);
  if (field.isDocument) return { __typename, document: body };
  if (!field.isPage) return { ...(body as object), etag: etag ?? null, __typename };
  const { items, next_cursor: next, ...rest } = body as Page;
  const edges = items.map((node, i) => ({ cursor: i === items.length - 1 ? next : null, node }));
  const pageInfo = { hasNextPage: next !== null, hasPreviousPage: false, startCursor: null, endCursor: next };
  return { ...rest, edges, pageInfo, __typename };
}
