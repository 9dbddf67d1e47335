import { setTimeout as wait } from 'node:timers/promises';

import { IntegrityError, StoreUnavailableError } from '#lib/event-store';
import { type Fault, isDamage, listed, type WalkState } from '#lib/integrity';
import type { JsonObject } from '#lib/kernel';

import type { Call } from '../client.js';
import { rehearsed, type Context } from '../context.js';
import { CommandError, EXIT, type ExitCode } from '../exit-codes.js';
import { plain, table } from '../io.js';
import { type Show, timeLeft, withProgress } from '../progress.js';

export interface VerifyOptions {
  readonly stream?: string;
  readonly workers?: number;
  readonly resume?: boolean;
  readonly maxRate?: number;
}

interface Verification {
  readonly verification_id: string;
  readonly state: 'running' | 'done' | 'interrupted' | 'failed';
  readonly stream: string | null;
  readonly started_at: string;
  readonly processed: number;
  readonly total: number;
  readonly rate: number;
  readonly eta_seconds: number | null;
  readonly position: string;
  readonly sound: boolean | null;
  readonly faults: number;
  readonly found: readonly Fault[];
  readonly counts: Readonly<Record<string, number | null>>;
  readonly digest: string | null;
  readonly reason: string | null;
}

const POLL_MS = 200;
const BAR = '{value}/{total}  {rate}/s  {left} left  {faults} faults';

/** `mace integrity verify`: sound, or what was found and exit code 2. */
export async function verify(context: Context, options: VerifyOptions): Promise<ExitCode> {
  const call = { method: 'POST', path: '/integrity/verify', body: bodyOf(options) } as const;
  if (rehearsed(context, call)) return EXIT.ok;
  const view = await withProgress(context, BAR, async (show) => {
    const onView = (running: Verification): void => shown(running, show);
    const begun = await begunOn(context, call, options, onView);
    if (options.resume && begun.processed === 0)
      context.io.say('nothing to go on from: no check has left its place; this one begins at the first event');
    return ended(context, begun, onView);
  });
  if (context.json) context.io.out(JSON.stringify(view, null, 2));
  else tell(context, view);
  return exitCodeOf(view);
}

function shown({ processed, total, rate, eta_seconds, faults }: Verification, show: Show): void {
  show(processed, total, { rate, faults, left: timeLeft(eta_seconds) });
}

/** Where what a start reads was changed there is nobody who could be asked: then the folder itself is walked. */
async function begunOn(
  context: Context,
  call: Call,
  options: VerifyOptions,
  onView: (view: Verification) => void,
): Promise<Verification> {
  try {
    return await context.answer<Verification>(call);
  } catch (error) {
    const refused = error instanceof CommandError && !options.stream ? await refusedFor(error.cause) : null;
    if (!refused) throw error;
    context.io.say(`${plain((error as Error).message)}. Nothing of what follows is recorded, and no tree is compared`);
    return folderView(context, options, onView, refused.faults);
  }
}

/** What of the events keeps every start from being, with what it found that a walk by itself does not; null where it is another thing. */
async function refusedFor(cause: unknown): Promise<{ readonly faults: readonly Fault[] } | null> {
  const [{ LogGuardError }, { DamagedFileError }] = await Promise.all([import('#lib/proof'), import('#lib/sqlite')]);
  if (cause instanceof LogGuardError)
    return { faults: [{ detector: 'proof', stream: null, revision: null, position: null, reason: cause.problem }] };
  const isDamage = cause instanceof StoreUnavailableError && cause.cause instanceof DamagedFileError;
  return isDamage || cause instanceof IntegrityError ? { faults: [] } : null;
}

async function folderView(
  { config }: Context,
  { workers = 1, maxRate }: VerifyOptions,
  onView: (view: Verification) => void,
  known: readonly Fault[],
): Promise<Verification> {
  const { walkFolder } = await import('../../../api/src/integrity/folder-walk.js');
  const onProgress = (state: WalkState): void => onView(viewOf(state, [], 'running'));
  const { state, found } = await walkFolder(config, { workers, maxRate: maxRate ?? null, onProgress });
  return viewOf({ ...state, faults: state.faults + known.length }, [...found, ...known], 'done');
}

function viewOf(walk: WalkState, found: readonly Fault[], state: 'running' | 'done'): Verification {
  const { verification_id, started_at, position, to, faults, digest } = walk;
  const isDone = state === 'done';
  return {
    verification_id,
    state,
    stream: null,
    started_at,
    processed: position,
    total: to,
    rate: 0,
    eta_seconds: null,
    position: String(to),
    sound: isDone ? faults === 0 : null,
    faults,
    found: listed([], found),
    counts: { ...walk.counts },
    digest: isDone ? digest : null,
    reason: null,
  };
}

/** `mace integrity list`: checks, newest first. */
export async function list(context: Context, limit: number): Promise<ExitCode> {
  const path = `/integrity/verifications?limit=${limit}`;
  const listed = await context.answer<{ items: readonly Verification[] }>({ method: 'GET', path });
  const { io } = context;
  if (context.json) io.out(JSON.stringify(listed, null, 2));
  else {
    const rows = listed.items.map((one) => [
      one.verification_id,
      one.started_at,
      verdictOf(one),
      one.stream ?? 'the whole log',
    ]);
    for (const line of table([['VERIFICATION', 'STARTED', 'FOUND', 'OF'], ...rows])) io.out(line);
  }
  return EXIT.ok;
}

function bodyOf({ stream, workers, resume, maxRate }: VerifyOptions): JsonObject {
  return {
    ...(stream === undefined ? {} : { stream }),
    ...(workers === undefined ? {} : { workers }),
    ...(resume ? { resume } : {}),
    ...(maxRate === undefined ? {} : { max_rate: maxRate }),
  };
}

async function ended(
  context: Context,
  begun: Verification,
  onView: (view: Verification) => void,
): Promise<Verification> {
  let view = begun;
  while (view.state === 'running') {
    onView(view);
    await wait(POLL_MS);
    const path = `/integrity/verifications/${encodeURIComponent(view.verification_id)}`;
    view = await context.answer<Verification>({ method: 'GET', path });
  }
  onView(view);
  return view;
}

function tell({ io }: Context, view: Verification): void {
  const { state, processed, total, counts, digest, position, faults, found, reason } = view;
  if (state === 'failed') return io.out(io.colors.red(`the check failed: ${plain(reason ?? 'the log says why')}`));
  if (state === 'interrupted')
    return io.out(io.colors.yellow(`interrupted at ${processed} of ${total}; --resume goes on from there`));
  const looked = `${counts['events']} events of ${counts['streams']} streams up to position ${position}`;
  if (view.sound) io.out(io.colors.green(`SOUND: ${looked}`));
  else {
    io.out(io.colors.red(`NOT SOUND, ${faults} ${faults === 1 ? 'fault' : 'faults'}: ${looked}`));
    tellEach(io, found.filter(isDamage), faults);
  }
  const times = counts['times_out_of_order'] ?? 0;
  if (times > 0) {
    io.out(io.colors.yellow(`${times} ${times === 1 ? 'time' : 'times'} out of order, which is no damage:`));
    tellEach(
      io,
      found.filter((one) => !isDamage(one)),
      times,
    );
  }
  if (view.stream !== null) for (const line of uncheckedOf(view)) io.out(`NOT CHECKED: ${line}`);
  const unchecked = counts['unchecked_references'] ?? 0;
  if (unchecked > 0) io.say(`${unchecked} references could not be checked: their data keys cannot be had`);
  if (counts['leaves'] === null && view.stream === null)
    io.say('no Merkle log was compared: the removal of the last events of a stream cannot be told');
  io.say(io.colors.dim(`${view.verification_id}${digest === null ? '' : `  digest ${digest}`}`));
}

/** @param count of all that there are; those listed are the first */
function tellEach(io: Context['io'], found: readonly Fault[], count: number): void {
  for (const fault of found) io.out(`  ${plain(lineOf(fault))}`);
  if (count > found.length) io.out(`  and ${count - found.length} more; those listed are the first`);
}

/** What a walk of one stream cannot say of it. */
function uncheckedOf({ counts }: Verification): readonly string[] {
  if (counts['leaves'] === null)
    return ['proof; no checkpoint covers the stream yet, so that it may have been signed again: try again in a moment'];
  // A seal says how many events a job has.
  if (counts['sealed_jobs'] === 1) return [];
  return ['its end; whether events were removed there shows in a walk of the whole log'];
}

function lineOf({ detector, stream, revision, position, reason }: Fault): string {
  const place = stream === null ? 'the log' : `${stream}${revision === null ? '' : ` revision ${revision}`}`;
  return `${place}${position === null ? '' : ` (position ${position})`}: ${reason} [${detector}]`;
}

function verdictOf({ state, sound, faults }: Verification): string {
  if (state !== 'done') return state;
  return sound ? 'sound' : `${faults} ${faults === 1 ? 'fault' : 'faults'}`;
}

/** A check that did not come to its end has found nothing, and says nothing of the log. */
function exitCodeOf({ state, sound }: Verification): ExitCode {
  if (state !== 'done') return EXIT.failure;
  return sound ? EXIT.ok : EXIT.divergence;
}
