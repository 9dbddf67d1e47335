import { isErrorCode, type JsonObject } from '#lib/kernel';

import type { Context } from '../context.js';
import { CommandError, EXIT, exitCodeOf, type ExitCode } from '../exit-codes.js';
import { plain } from '../io.js';
import { queryOf } from './shown.js';

export interface TailFilter {
  readonly types?: string;
  readonly stream?: string;
  readonly after?: string;
  readonly follow: boolean;
}

/** Why a stream ended, and where to go on. */
interface LastWord {
  readonly reason: string;
  readonly error_code?: string;
}

/** What of an event a person at a terminal is shown. */
type Line = (data: Told, name: string) => string;
type Told = Readonly<Record<string, string>>;

const NOT_SIGNED = 'NOT WHAT WAS SIGNED';

/** Events of the log as they come. */
export async function tail(context: Context, { types, stream, after, follow }: TailFilter): Promise<ExitCode> {
  if (follow) await requireWriters(context);
  const path = `/events/tail${queryOf({ types, stream, follow: follow ? undefined : 'false' })}`;
  return followed(context, path, after, 'event', ({ position, type, stream: of, event_id, reason }, name) =>
    [position, name === 'unverified' ? NOT_SIGNED : type, of, event_id ?? reason].join('  '),
  );
}

/** The stages of a job as it comes to them, until it has ended. */
export function watch(context: Context, jobId: string, { after }: { readonly after?: string }): Promise<ExitCode> {
  const path = `/jobs/${encodeURIComponent(jobId)}/progress`;
  return followed(context, path, after, 'progress', ({ at, stage }) => `${at}  ${stage}`);
}

/**
 * Tells each event of a stream; with --json one object a line, under the event's name. Who is interrupted, or reads no
 * more, is told where to go on.
 */
async function followed(
  context: Context,
  path: string,
  after: string | undefined,
  unnamed: string,
  lineOf: Line,
): Promise<ExitCode> {
  const { io, json } = context;
  const client = await context.client();
  let at = after;
  const goOn = (): void => void (at !== undefined && io.say(`go on with --after ${at}`));
  process.once('SIGINT', goOn);
  try {
    for await (const { event, id, data } of client.follow(path, after, io.unread)) {
      at = id;
      if (event === 'closed') return closed(context, data as LastWord & JsonObject, goOn);
      const name = event === 'message' ? unnamed : event;
      io.out(json ? JSON.stringify({ id, [name]: data }) : plain(lineOf(data as Told, name)));
    }
  } catch (error) {
    if (io.unread.aborted) return EXIT.ok;
    // Who got nowhere knows where to begin.
    if (at !== after) goOn();
    throw error;
  } finally {
    process.off('SIGINT', goOn);
  }
  return EXIT.ok;
}

function closed({ io, json }: Context, last: LastWord & JsonObject, goOn: () => void): ExitCode {
  if (json) io.out(JSON.stringify({ closed: last }));
  const { reason, error_code: code } = last;
  if (code === undefined) return EXIT.ok;
  io.say(`mace: the stream was closed: ${plain(reason)}`);
  goOn();
  return isErrorCode(code) ? exitCodeOf(code) : EXIT.failure;
}

/** @throws CommandError where this process would keep everybody from the folder that it waits for */
async function requireWriters(context: Context): Promise<void> {
  if (context.config.eventStoreDb !== undefined) return;
  const { transport } = await context.client();
  if (transport === 'server') return;
  throw new CommandError(
    'no server works on this folder, so that nothing comes; --no-follow shows what is there',
    EXIT.unavailable,
  );
}
