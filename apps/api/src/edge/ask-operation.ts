import type { FastifyRequest } from 'fastify';

import { type BindingParts, bindKey } from './bind-keys.js';
import type { SseSource } from '../live/sse-session.js';
import { Forms } from './forms.js';
import { admitTo, checkForm, type GateParts } from './gate.js';
import { type Controller, type Operation } from './operation.js';
import { NO_QUERY } from './query-string.js';
import type { AskedRequest } from './request-facts.js';

/** What an operation is told; names and forms are those of its REST form. */
export interface Given {
  readonly params: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, unknown>>;
  readonly body: unknown;
  /** With lower-case names. */
  readonly headers: Readonly<Record<string, string>>;
}

/** What an operation answered, before anything is made of it. */
export interface OperationAnswer {
  readonly body: unknown;
  /** Where the handler chose one: 202 for what goes on, or waits. */
  readonly status: number | undefined;
  readonly etag: string | undefined;
  /** Instead of an answer: what goes on until it is closed. Whoever asked closes it. */
  readonly live: SseSource | undefined;
}

export type AskingParts = Pick<GateParts, 'rateLimits' | 'requestDigests' | 'isPersonal'> & BindingParts;

/**
 * Asks an operation as a request of its own would, without HTTP: by the same permission, forms, bound key and seed, so that
 * the same Idempotency-Key means the same command whichever way it comes.
 */
export class Operations {
  private readonly forms: Forms;

  constructor(
    private readonly parts: AskingParts,
    private readonly controllerOf: (controller: Controller) => object,
  ) {
    this.forms = new Forms(parts.isPersonal);
  }

  /** The request that asks; what fails is worded for it. */
  requestOf(operation: Operation, given: Given, outer: Pick<FastifyRequest, 'mace'>): AskedRequest {
    const { mace } = outer;
    return {
      method: operation.method,
      url: operation.route.url,
      headers: given.headers,
      params: given.params,
      query: Object.keys(given.query).length === 0 ? NO_QUERY : given.query,
      body: given.body,
      mace: {
        ...mace,
        route: operation.route,
        givenTraceId: mace.context?.traceId ?? mace.givenTraceId,
        bodyText: undefined,
        context: undefined,
        denied: undefined,
      },
    };
  }

  /** @throws what the gate, the forms and the handler of a route throw, in their order */
  async ask(operation: Operation, request: AskedRequest): Promise<OperationAnswer> {
    const { principal } = request.mace;
    if (!principal) throw new Error('an operation is asked by a principal');
    admitTo(this.parts, request, operation.access, principal);
    checkForm(request, this.parts);
    const { queryForm, bodyForm } = operation.route;
    if (queryForm !== undefined) request.query = this.forms.read('query', request.query, queryForm);
    if (bodyForm !== undefined) request.body = this.forms.read('body', request.body ?? {}, bodyForm);
    await bindKey(this.parts.bindings, request.mace);
    return this.handle(operation, request);
  }

  /** Counts one more of a principal's requests. @throws RateLimitedError */
  count({ mace: { principal, token, now } }: Pick<FastifyRequest, 'mace'>): void {
    if (principal && token !== undefined) this.parts.rateLimits?.takeOfPrincipal(principal.id, now);
  }

  private async handle({ controller, handler, takings }: Operation, request: AskedRequest): Promise<OperationAnswer> {
    const reply = new AskedReply();
    const instance = this.controllerOf(controller) as Record<string, (...taken: unknown[]) => unknown>;
    const body = await instance[handler]!(...takings.map((take) => take(request, reply)));
    return { body, status: reply.chosen, etag: reply.headers.get('etag'), live: reply.live };
  }
}

/** What a handler may do with a reply besides answering. */
export class AskedReply {
  readonly headers = new Map<string, string>();
  chosen: number | undefined;
  live: SseSource | undefined;

  /** Instead of answering. */
  follow(source: SseSource): void {
    this.live = source;
  }

  header(name: string, value: string): this {
    this.headers.set(name, value);
    return this;
  }

  status(code: number): this {
    this.chosen = code;
    return this;
  }

  code(code: number): this {
    return this.status(code);
  }
}
