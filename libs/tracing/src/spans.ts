import {
  type Attributes,
  type Context,
  context,
  createContextKey,
  type Span,
  SpanKind,
  SpanStatusCode,
  trace,
} from '@opentelemetry/api';

import { exportedTraceId } from './trace-ids.js';

/** What a span may say: shapes, counts, ids that follow from hashes, codes. Nothing that a person typed has a name here. */
export type SpanAttribute =
  | 'error.type'
  | 'http.request.method'
  | 'http.response.status_code'
  | 'http.route'
  | 'mace.agent.id'
  | 'mace.agent.outcome'
  | 'mace.append.outcome'
  | 'mace.command'
  | 'mace.event.count'
  | 'mace.event.first_id'
  | 'mace.event.types'
  | 'mace.job.count'
  | 'mace.job.id'
  | 'mace.position'
  | 'mace.position.from'
  | 'mace.projection'
  | 'mace.projection.changes'
  | 'mace.replay.mode'
  | 'mace.replay.verdict'
  | 'mace.stream.category'
  | 'mace.trace_id';

export type SpanAttributes = Readonly<Partial<Record<SpanAttribute, string | number | readonly string[] | undefined>>>;

/** A piece of work that is traced. */
export interface Traced {
  /** Of a bounded list: names of routes, commands, agents, projections; never of what they are done to. */
  readonly name: string;
  /** The trace of MACE that it belongs to, where that may be another than that of what it is done within. */
  readonly traceId?: string | undefined;
  /** Whether it belongs to no trace but its own, whatever it is done within. */
  readonly alone?: boolean;
  /** Whether somebody outside asked for it. */
  readonly isAsked?: boolean;
  /** Milliseconds since the Unix epoch at which it began; now where absent. */
  readonly startedAt?: number;
  readonly attributes?: SpanAttributes;
}

/** A span under way. */
export interface LiveSpan {
  set(attributes: SpanAttributes): void;
  /** Marks it as failed, by a code or the name of a kind of error. */
  fail(kind: string): void;
  end(): void;
  /** What `run` begins becomes part of it. */
  within<T>(run: () => T): T;
}

const NONE: LiveSpan = {
  set: () => undefined,
  fail: () => undefined,
  end: () => undefined,
  within: (run) => run(),
};

const TRACE = createContextKey('mace.trace_id');
let isOn = false;
let nextTraceId: string | undefined;

/** Whether spans are exported; what is done for them alone is not done where they are not. */
export function isTracing(): boolean {
  return isOn;
}

/** Called with true once an SDK is registered, with false before it ends. */
export function turnTracing(on: boolean): void {
  isOn = on;
}

/** The trace of MACE that the work under way belongs to; undefined where none is known. */
export function traceUnderWay(): string | undefined {
  return isOn ? (context.active().getValue(TRACE) as string | undefined) : undefined;
}

/** The trace id that the span which is being begun must have; undefined where it may be drawn. */
export function wantedTraceId(): string | undefined {
  return nextTraceId;
}

/** Does `run` in a span of its own; where nothing is exported, does `run`. */
export function traced<T>(what: () => Traced, run: (span: LiveSpan) => Promise<T>): Promise<T> {
  return isOn ? inSpan(beginSpan(what()), run) : run(NONE);
}

async function inSpan<T>(span: LiveSpan, run: (span: LiveSpan) => Promise<T>): Promise<T> {
  try {
    return await span.within(() => run(span));
  } catch (error) {
    span.fail(kindOf(error));
    throw error;
  } finally {
    span.end();
  }
}

/**
 * Begins a span; whoever begins it ends it. It is part of what is under way, unless that is of another trace: then it is
 * the first of its own, with a link to what it was begun within.
 */
export function beginSpan(what: Traced): LiveSpan {
  if (!isOn) return NONE;
  const { name, traceId, alone = false, isAsked = false, startedAt, attributes = {} } = what;
  const active = context.active();
  const underWay = active.getValue(TRACE) as string | undefined;
  const isPart = !alone && (traceId === undefined || traceId === underWay);
  const own = isPart ? underWay : traceId;
  const around = trace.getSpanContext(active);
  nextTraceId = isPart || own === undefined ? undefined : exportedTraceId(own);
  try {
    const span = trace.getTracer('mace').startSpan(
      name,
      {
        root: !isPart,
        kind: isAsked ? SpanKind.SERVER : SpanKind.INTERNAL,
        attributes: shown({ ...attributes, 'mace.trace_id': own }),
        ...(startedAt === undefined ? {} : { startTime: startedAt }),
        ...(isPart || !around ? {} : { links: [{ context: around }] }),
      },
      active,
    );
    return liveSpan(span, trace.setSpan(active, span).setValue(TRACE, own));
  } finally {
    nextTraceId = undefined;
  }
}

function liveSpan(span: Span, scope: Context): LiveSpan {
  return {
    set: (attributes) => void span.setAttributes(shown(attributes)),
    fail: (kind) => {
      span.setAttributes(shown({ 'error.type': kind }));
      // Without a message: that of an error may quote what somebody typed.
      span.setStatus({ code: SpanStatusCode.ERROR });
    },
    end: () => span.end(),
    within: (run) => context.with(scope, run),
  };
}

/** Names of types, routes, streams' categories and ids; a text of another form is somebody's, whoever let it through. */
const FORM = /^[A-Za-z0-9_.:/*-]{1,128}$/;

function shown(attributes: SpanAttributes): Attributes {
  const all: Attributes = {};
  for (const [name, value] of Object.entries(attributes)) {
    if (value === undefined) continue;
    all[name] = typeof value === 'object' ? value.map(formed) : formed(value);
  }
  return all;
}

function formed<T extends string | number>(value: T): T | 'other' {
  return typeof value === 'string' && !FORM.test(value) ? 'other' : value;
}

function kindOf(error: unknown): string {
  if (!(error instanceof Error)) return 'not an Error';
  const { code } = error as { code?: unknown };
  return typeof code === 'string' ? code : error.name;
}
