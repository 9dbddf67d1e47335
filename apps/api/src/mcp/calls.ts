import { ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server';
import type { FastifyRequest } from 'fastify';

import type { Denials } from '#lib/access';
import { type JsonObject, MaceError } from '#lib/kernel';

import { wordFailure, type WordedFailure } from '../edge/answer-failure.js';
import type { Given, OperationAnswer, Operations } from '../edge/ask-operation.js';
import type { FailureListener } from '../edge/failure-listener.js';
import type { Operation } from '../edge/operation.js';
import type { AskedRequest } from '../edge/request-facts.js';
import { JOB_URI, JOBS_OF_CALLER, resourceOf } from './resources.js';
import { givenOf, inArguments, type Tool } from './tool.js';

export interface McpParts {
  readonly operations: Operations;
  readonly listener: FailureListener;
  readonly denials: Pick<Denials, 'count'>;
  readonly version: string;
  /** Hosts of pages that may ask, beside those of this machine. */
  readonly hostnames: readonly string[];
  readonly isPersonal: (text: string) => boolean;
}

/** Most bytes of what one call answers, as JSON: more is of no use to a model. */
const MAX_RESULT_BYTES = 256 * 1024;
/** Most bytes of a resource: a bundle is for a program that checks it. */
const MAX_RESOURCE_BYTES = 4 * 1024 * 1024;
const HISTORY_PAGE = 200;
const NOTHING: Given = { params: {}, query: {}, body: undefined, headers: {} };

interface Result {
  readonly content: readonly { readonly type: 'text'; readonly text: string }[];
  readonly structuredContent: JsonObject;
  readonly isError?: true;
}

/** Calls of tools and reads of resources, each as one operation of REST that is asked without HTTP. */
export class McpCalls {
  constructor(private readonly parts: Pick<McpParts, 'operations' | 'listener' | 'denials'>) {}

  /** Refusals are results: an agent reads what was wrong, and what is allowed. */
  async call(tool: Tool, args: JsonObject, request: FastifyRequest): Promise<Result> {
    const { operation } = tool;
    const key = request.headers['idempotency-key'];
    const given = (): Given => givenOf(tool, args, typeof key === 'string' ? key : undefined);
    const answered = await this.ask(operation, given, request);
    if ('envelope' in answered) return refused(answered);
    const { body, etag } = answered;
    const structuredContent = operation.doc.etag
      ? { ...(body as JsonObject), etag: etag ?? null }
      : (body as JsonObject);
    const text = JSON.stringify(structuredContent);
    const bytes = Buffer.byteLength(text);
    if (bytes <= MAX_RESULT_BYTES) return { content: [{ type: 'text', text }], structuredContent };
    return refused(this.worded(tooLong(operation, bytes, MAX_RESULT_BYTES), operation, NOTHING, request));
  }

  /** The jobs of who asks, newest first. @throws ProtocolError */
  async list(cursor: string | undefined, request: FastifyRequest): Promise<object> {
    const given = { ...NOTHING, query: cursor === undefined ? {} : { cursor } };
    const { items, next_cursor } = (await this.readOrThrow(JOBS_OF_CALLER, given, request)) as JobPage;
    const resources = items.map(({ job_id, status, agent_id }) => ({
      uri: `${JOB_URI}${job_id}`,
      name: job_id,
      description: `${status}${agent_id === null ? '' : `, by ${agent_id}`}`,
      mimeType: 'application/json',
    }));
    return { resources, ...(next_cursor === null ? {} : { nextCursor: next_cursor }) };
  }

  /** @throws ProtocolError */
  async read(uri: string, request: FastifyRequest): Promise<object> {
    const named = resourceOf(uri);
    if (!named)
      throw new ProtocolError(ProtocolErrorCode.InvalidParams, 'uri: of a resource template, filled in', { uri });
    const { resource, params } = named;
    const { operation, template } = resource;
    const query = operation.route.queryForm && template.name === 'history' ? { limit: HISTORY_PAGE } : {};
    const text = JSON.stringify(await this.readOrThrow(operation, { ...NOTHING, params, query }, request));
    const bytes = Buffer.byteLength(text);
    if (bytes > MAX_RESOURCE_BYTES)
      throw protocolError(this.worded(tooLong(operation, bytes, MAX_RESOURCE_BYTES), operation, NOTHING, request));
    return { contents: [{ uri, mimeType: template.mimeType, text }] };
  }

  /** @throws ProtocolError with the envelope as its data */
  private async readOrThrow(operation: Operation, given: Given, request: FastifyRequest): Promise<unknown> {
    const answered = await this.ask(operation, () => given, request);
    if ('envelope' in answered) throw protocolError(answered);
    return answered.body;
  }

  private async ask(
    operation: Operation,
    given: () => Given,
    request: FastifyRequest,
  ): Promise<OperationAnswer | WordedFailure> {
    const { operations, denials } = this.parts;
    let asked: AskedRequest | undefined;
    try {
      asked = operations.requestOf(operation, given(), request);
      return await operations.ask(operation, asked);
    } catch (error) {
      asked ??= operations.requestOf(operation, NOTHING, request);
      const failure = this.wordedFor(asked, error);
      const { denied, principal } = asked.mace;
      if (denied !== undefined && principal) denials.count(principal.id, operation.access, denied);
      return failure;
    }
  }

  private worded(error: Error, operation: Operation, given: Given, request: FastifyRequest): WordedFailure {
    return this.wordedFor(this.parts.operations.requestOf(operation, given, request), error);
  }

  private wordedFor(asked: AskedRequest, error: unknown): WordedFailure {
    const failure = wordFailure(error, asked, this.parts.listener);
    const { envelope } = failure;
    const developer_message = inArguments(envelope.developer_message);
    return { ...failure, envelope: { ...envelope, developer_message } };
  }
}

interface JobPage {
  readonly items: readonly { readonly job_id: string; readonly status: string; readonly agent_id: string | null }[];
  readonly next_cursor: string | null;
}

/** First what was wrong and the allowed form; then what a person is shown. */
function refused({ envelope, challenge, retryAfter }: WordedFailure): Result {
  const { error_code, developer_message, user_message } = envelope;
  const later = retryAfter === undefined ? [] : [`Send it again after ${retryAfter} s.`];
  const factor =
    challenge === undefined
      ? []
      : ['It takes a token that shows a second factor: POST /auth/step-up, or `mace auth step-up`.'];
  const text = [`${error_code}: ${developer_message}`, ...factor, ...later, user_message].join('\n');
  const more: JsonObject = retryAfter === undefined ? {} : { retry_after: retryAfter };
  const structuredContent = { ...(envelope as unknown as JsonObject), ...more };
  return { content: [{ type: 'text', text }], structuredContent, isError: true };
}

function protocolError({ envelope }: WordedFailure): ProtocolError {
  const { error_code, developer_message } = envelope;
  return new ProtocolError(ProtocolErrorCode.InvalidParams, `${error_code}: ${developer_message}`, envelope);
}

function tooLong({ method, route }: Operation, bytes: number, most: number): MaceError {
  const size = `the answer has ${bytes} bytes, and at most ${most} are allowed here`;
  const rest = `${method} ${route.url}`;
  return new MaceError(
    'INVALID_INPUT',
    method === 'GET'
      ? `${size}; ask for fewer items with limit, or use REST: ${rest}`
      : `the request was carried out, but ${size}; REST returns it for the same idempotency key: ${rest}`,
  );
}
