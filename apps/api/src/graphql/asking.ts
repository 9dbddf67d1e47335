import type { FastifyRequest } from 'fastify';

import type { PermissionName } from '#lib/access';
import { type ErrorEnvelope } from '#lib/kernel';

import { wordFailure } from '../edge/answer-failure.js';
import type { OperationAnswer, Operations } from '../edge/ask-operation.js';
import type { FailureListener } from '../edge/failure-listener.js';
import type { Operation } from '../edge/operation.js';
import { expected, memberOf } from './failures.js';
import { answerTypeOf, type Field } from './field.js';
import { type Ending, Followed } from './followed.js';
import { type Args, givenOf, inArguments } from './given.js';
import { Loader } from './loader.js';
import type { Subscription } from './subscription.js';
import { Watch } from './watch.js';

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

/** What brought a request of GraphQL: one over HTTP, or a subscription over a socket. */
export type Outer = Pick<FastifyRequest, 'method' | 'url' | 'headers' | 'mace'>;

/** One request of GraphQL, as its fields ask operations for it. */
export class Asking {
  /** Refusals by permission, to be counted after the answer. */
  readonly denied: Denied[] = [];
  private readonly loaders = new Map<Field, Loader>();
  private asked = 0;

  constructor(
    private readonly operations: Operations,
    readonly request: Outer,
    private readonly listener: FailureListener,
  ) {}

  /** A member of the field's union. @throws SystemFault */
  answer(field: Field, args: Args): Promise<object> {
    return this.ask(
      field.operation,
      args,
      (answer) => rendered(field, answer),
      (failure) => failure,
    );
  }

  /** What a subscription tells from now on; a failure of its union where it may not begin. @throws SystemFault */
  follow(live: Subscription, args: Args): Promise<Followed> {
    const { operation, isOver } = live;
    const again = async (): Promise<object> => {
      const { mace } = this.request;
      const outer = { mace: { ...mace, now: Date.now() } };
      const asked = this.operations.requestOf(operation, givenOf(operation, args, undefined), outer);
      return (await this.operations.ask(operation, asked)).body as object;
    };
    const ended = (error: unknown): Ending => {
      const { error_code, developer_message: reason } = wordFailure(error, this.request, this.listener).envelope;
      return { error_code, reason };
    };
    return this.ask(
      operation,
      args,
      ({ live: source, body }) => {
        if (source) return new Followed(live, source, ended);
        if (!isOver) throw new Error(`${live.name} has nothing to follow`);
        return new Followed(live, new Watch(body as object, again, isOver), ended);
      },
      (failure) => Followed.failed(live, failure),
    );
  }

  private async ask<T>(
    operation: Operation,
    args: Args,
    made: (answer: OperationAnswer) => T,
    failed: (member: object) => T,
  ): Promise<T> {
    const nothing = { params: {}, query: {}, body: undefined, headers: {} };
    let asked = this.operations.requestOf(operation, nothing, this.request);
    try {
      // The request itself was counted at the gate.
      if (this.asked++ > 0) this.operations.count(this.request);
      asked = this.operations.requestOf(operation, givenOf(operation, args, this.idempotencyKey), this.request);
      return made(await this.operations.ask(operation, asked));
    } catch (error) {
      const worded = inArguments(wordFailure(error, asked, this.listener));
      const { denied } = asked.mace;
      if (denied !== undefined) this.denied.push({ access: operation.access, reason: denied });
      if (expected(operation.errors).includes(worded.envelope.error_code)) return failed(memberOf(worded));
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
