import type { LoggerService } from '@nestjs/common';
import { pino, type Logger, type LoggerOptions } from 'pino';

import { traceUnderWay } from '#lib/tracing';

import type { Config } from '../platform.config.js';
import { framesOf } from './crash.js';
import { type LogSink, stderrSink } from './log-sink.js';

export type { Logger } from 'pino';

/** Members that hold content or a secret wherever they stand; no line is meant to have one, and none shows what is in it. */
const CONTENT = [
  ...[
    'authorization',
    'cookie',
    'token',
    'access_token',
    'password',
    'secret',
    'otp',
    'api_key',
    'url',
    'headers',
    'body',
  ],
  ...['query_text', 'final_answer', 'user_message', 'text', 'value', 'notes', 'comment', 'email', 'data', 'personal'],
];

/** How lines are made; a line of work that is traced names its trace. */
export function logOptions(level: Config['logLevel']): LoggerOptions {
  return {
    level,
    base: null,
    redact: { paths: CONTENT.flatMap((name) => [name, `*.${name}`]), censor: '[redacted]' },
    mixin: () => {
      const trace = traceUnderWay();
      return trace === undefined ? {} : { trace };
    },
  };
}

/**
 * The process's log, on stderr: JSON lines in production, one readable line each in development. It holds shapes (method,
 * route, status, duration, ids), never content. It holds nobody up: lines wait for a slow reader, and are dropped and
 * counted where too many do.
 */
export function createLogger({ logLevel, mode }: Pick<Config, 'logLevel' | 'mode'>): Logger {
  const options = logOptions(logLevel);
  const shown = mode === 'production' ? (line: string): string => line : readable;
  return pino(options, { write: (line: string) => sinkOf(shown).write(shown(line)) });
}

/** Only a process that has something to say takes hold of stderr. */
function sinkOf(shown: (line: string) => string): LogSink {
  return stderrSink((dropped) => {
    const line = { level: 40, time: Date.now(), lines: dropped, msg: 'lines were dropped: nobody read them in time' };
    return shown(`${JSON.stringify(line)}\n`);
  });
}

const LEVELS: Readonly<Record<number, string>> = { 20: 'debug', 30: 'info', 40: 'warn', 50: 'error', 60: 'fatal' };

function readable(line: string): string {
  const { level, time, msg, stack, ...rest } = JSON.parse(line) as Record<string, unknown>;
  const clock = new Date(time as number).toISOString().slice(11, 23);
  const facts = Object.entries(rest).map(
    ([name, value]) => ` ${name}=${typeof value === 'string' ? value : JSON.stringify(value)}`,
  );
  const frames = typeof stack === 'string' ? `\n${stack}` : '';
  return `${clock} ${(LEVELS[level as number] ?? '').padEnd(5)} ${String(msg)}${facts.join('')}${frames}\n`;
}

/** What of a fault may stand in the log: its kind, its frames, and its message without anything that could be content. */
export function faultShape(thrown: unknown): {
  readonly error: string;
  readonly reason: string;
  readonly stack?: string;
} {
  if (!(thrown instanceof Error)) return { error: typeof thrown, reason: 'not an Error' };
  const reason = thrown.message.replace(/(["'`“‘]).*?(["'`”’])/gs, '$1…$2').replace(/[^\s]*[0-9@][^\s]{3,}/g, '…');
  return { error: thrown.name, reason: reason.slice(0, 300), stack: framesOf(thrown) };
}

/** Nest speaks of itself at every start; only what went wrong is worth a line. */
export function nestLogger(log: Logger): LoggerService {
  const say = (level: 'warn' | 'error') => (message: unknown) =>
    log[level]({ part: 'nest' }, String(message).slice(0, 300));
  const quiet = (): void => undefined;
  return { log: quiet, debug: quiet, verbose: quiet, warn: say('warn'), error: say('error'), fatal: say('error') };
}
