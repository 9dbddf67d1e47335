import { createHash } from 'node:crypto';

import { Ajv2020, type AnySchemaObject, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';

import { ERROR_CATALOGUE, type ErrorCode } from '#lib/kernel';

import { CANARIES, showing } from '../support/canaries.js';
import type { Wire } from './drawn-requests.js';
import { type Description, type Operation, operationAt, operationsOf } from './operations.js';
import type { RawAnswer, Unanswered } from './raw-client.js';

/** What is wrong with an answer, whatever was asked. */

/** Answers that say truly that something outside is not there, by operation. */
const TRUE_FAILURES: ReadonlyMap<string, readonly ErrorCode[]> = new Map([
  // No language engine is configured.
  ['jobs.ask', ['LLM_SERVICE_DOWN', 'REPAIR_LIMIT_EXCEEDED']],
]);

/** Operations that answer with files of others, of whatever type those have. */
const MANY_MEDIA: ReadonlySet<string> = new Set(['docs.asset']);

const SIGNED_BY = ['content-digest', 'signature', 'signature-input'] as const;

/** What is answered where no operation is, or before one is known; who asks too often is told so there too. */
const WITHOUT_OPERATION: readonly string[] = ['NOT_FOUND', 'INVALID_INPUT', 'RATE_LIMITED'];

/** Words of the inside: frames of a stack, modules of Node, folders of the machine. */
export const INSIDE = [/\n\s+at /, /\bat [\w.<>]+ \(/, /node:internal/, /node_modules/, /file:\/\//, /SQLITE_[A-Z]/];

interface Envelope {
  readonly error_code?: string;
  readonly status?: number;
  readonly severity?: string;
  readonly user_message?: string;
  readonly meta?: Readonly<Record<string, unknown>>;
}

export class Oracle {
  private readonly operations: readonly Operation[];
  private readonly ajv = new Ajv2020({ strict: false, allErrors: false });
  private readonly compiled = new Map<object, ValidateFunction>();

  /**
   * @param paths of this machine that no answer may name
   * @param more what else is wrong with an answer of 200, by the body of its request
   */
  constructor(
    description: Description,
    private readonly paths: readonly string[],
    private readonly more: (body: string | undefined, answer: unknown) => readonly string[] = () => [],
  ) {
    this.operations = operationsOf(description);
    addFormats.default(this.ajv);
    const { schemas } = description.components;
    this.ajv.addSchema(JSON.parse(anchored({ $id: 'api', components: { schemas } })) as AnySchemaObject);
  }

  faultsOf(wire: Wire, answer: RawAnswer | Unanswered): readonly string[] {
    if (typeof answer === 'string') return wire.cut && answer === 'closed' ? [] : [`no answer: ${answer}`];
    const operation = operationAt(this.operations, wire.method, wire.target);
    const isHead = wire.method === 'HEAD';
    const { body, faults } = bodyOf(answer, isHead);
    const isNowhere = answer.status === 404 && hasEmptyPart(wire.target);
    const form = isOfProtocol(operation, answer, body)
      ? []
      : [
          ...(operation && !isNowhere
            ? this.asDescribed(operation, answer, body, isHead)
            : withoutOperation(answer, body)),
          ...(answer.status >= 400 && !isHead ? ofEnvelope(answer, body) : []),
        ];
    return [
      ...faults,
      ...form,
      ...ofServer(operation, answer, body),
      ...(answer.status === 200 && !isHead ? this.more(wire.body?.toString('utf8'), body) : []),
      ...(operation && MANY_MEDIA.has(operation.operationId) ? [] : this.leaks(answer)),
    ];
  }

  private asDescribed(operation: Operation, answer: RawAnswer, body: unknown, isHead: boolean): readonly string[] {
    const response = operation.responses[String(answer.status)];
    const code = (body as Envelope | undefined)?.error_code;
    if (!response) return [`${answer.status} ${String(code ?? '')} is not described`];
    const { headers = {}, content = {} } = response;
    const missing = Object.entries(headers).filter(
      ([name, one]) => one.required && !(name.toLowerCase() in answer.headers),
    );
    const odd = Object.entries(headers).flatMap(([name, { schema }]) => {
      const value = answer.headers[name.toLowerCase()];
      return value === undefined ? [] : this.against(schema, value).map((what) => `header ${name}: ${what}`);
    });
    const faults = [...missing.map(([name]) => `header ${name} is missing`), ...odd];
    if (isHead || answer.status === 204) return faults;
    const media = (answer.headers['content-type'] ?? '').split(';')[0]!;
    const described = content[media];
    if (!described && MANY_MEDIA.has(operation.operationId)) return faults;
    if (!described) return [...faults, `${answer.status} as ${media || 'nothing'} is not described`];
    const examples = Object.keys(described.examples ?? {});
    const isKnown = answer.status < 400 || examples.includes(String(code));
    return [
      ...faults,
      ...(isKnown ? [] : [`${answer.status} ${String(code)} is not described`]),
      ...this.against(described.schema, body).map((what) => `${answer.status}: ${what}`),
    ];
  }

  private against(schema: object, value: unknown): readonly string[] {
    const validate = this.compiled.get(schema) ?? this.ajv.compile(JSON.parse(anchored(schema)) as AnySchemaObject);
    this.compiled.set(schema, validate);
    if (validate(value)) return [];
    return validate.errors!.map(
      ({ instancePath, message, params }) => `${instancePath} ${message} ${JSON.stringify(params)}`,
    );
  }

  private leaks({ status, body }: RawAnswer): readonly string[] {
    const text = body.toString('latin1');
    const inside = [
      ...INSIDE.filter((one) => one.test(text)).map(String),
      ...this.paths.filter((path) => text.includes(path)),
    ];
    const shown = status >= 400 ? showing(body, Object.values(CANARIES)) : [];
    return [...inside.map((what) => `shows ${what}`), ...shown.map((what) => `repeats ${what}`)];
  }
}

/** What the Model Context Protocol itself refuses is an error of JSON-RPC (docs/mcp.md), which no description can hold. */
function isOfProtocol(operation: Operation | undefined, { status }: RawAnswer, body: unknown): boolean {
  if (operation?.operationId !== 'mcp.ask' || ![400, 404].includes(status)) return false;
  const { jsonrpc, error } = (body ?? {}) as { jsonrpc?: unknown; error?: { code?: unknown; message?: unknown } };
  return jsonrpc === '2.0' && Number.isInteger(error?.code) && typeof error?.message === 'string';
}

/** References of an OpenAPI document are into itself. */
function anchored(schema: object): string {
  return JSON.stringify(schema).replaceAll('"#/', '"api#/');
}

/** An answer's content as its type says, and what is wrong with its bytes. */
function bodyOf({ headers, body, status }: RawAnswer, isHead: boolean): { body: unknown; faults: readonly string[] } {
  const text = body.toString('utf8');
  if (isHead || status === 204) return { body: undefined, faults: body.length > 0 ? ['a body where none is due'] : [] };
  const digest = `sha-256=:${createHash('sha256').update(body).digest('base64')}:`;
  const faults =
    isStream(headers) || headers['content-digest'] === digest ? [] : ['its Content-Digest is of other content'];
  if (!headers['content-type']?.includes('json')) return { body: text, faults };
  try {
    return { body: JSON.parse(text) as unknown, faults };
  } catch {
    return { body: text, faults: [...faults, 'is no JSON'] };
  }
}

/** A stream has no end that a signature could stand over. */
function isStream(headers: RawAnswer['headers']): boolean {
  return headers['content-type']?.startsWith('text/event-stream') ?? false;
}

/** What a router takes for a part of a path, or not. */
function hasEmptyPart(target: string): boolean {
  return /\/(?:\/|$)/.test(target.split(/[?#]/, 1)[0]!);
}

function withoutOperation({ status }: RawAnswer, body: unknown): readonly string[] {
  const code = String((body as Envelope | undefined)?.error_code);
  // The answer to HEAD has no body.
  return WITHOUT_OPERATION.includes(code) || (body === undefined && [400, 404, 429].includes(status))
    ? []
    : [`${status} ${code} where no operation is`];
}

function ofEnvelope(answer: RawAnswer, body: unknown): readonly string[] {
  const { error_code, status, user_message, severity, meta } = (body ?? {}) as Envelope;
  const known = ERROR_CATALOGUE[error_code as ErrorCode] as { user_message: string; severity: string } | undefined;
  if (!known) return ['its error is not of the catalogue'];
  return [
    ...(status === answer.status ? [] : ['its envelope names another status']),
    ...(user_message === known.user_message && severity === known.severity
      ? []
      : ['its words are not the catalogue’s']),
    ...(meta?.['trace_id'] === answer.headers['x-trace-id'] ? [] : ['its envelope names another trace']),
  ];
}

function ofServer(operation: Operation | undefined, { status, headers }: RawAnswer, body: unknown): readonly string[] {
  const code = (body as Envelope | undefined)?.error_code;
  const isTrue = TRUE_FAILURES.get(operation?.operationId ?? '')?.includes(code as ErrorCode);
  return [
    ...(status >= 500 && !isTrue ? [`${status} ${String(code)}`] : []),
    ...SIGNED_BY.filter((name) => !(name in headers) && status !== 204 && !isStream(headers)).map(
      (name) => `${name} is missing`,
    ),
    ...('x-trace-id' in headers ? [] : ['X-Trace-Id is missing']),
  ];
}
