import { readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';

import { isErrorCode, type JsonObject } from '#lib/kernel';
import type { Escalation, VoteView } from '#lib/negotiation';

import type { WireVote } from '../../../negotiation/src/proto/messages.js';
import type { Called, RoomTls } from '../../../negotiation/src/room-caller.js';
import { rehearsedHere, type Context } from '../context.js';
import { CommandError, EXIT, exitCodeOf, type ExitCode } from '../exit-codes.js';
import { plain, table } from '../io.js';
import { asked, type Looking } from './jobs.js';
import { type Page, queryOf, showItems, showObject } from './shown.js';

export interface Filter extends Page {
  readonly status?: string;
  readonly mine?: boolean;
}

export interface VoteOptions {
  readonly critic: string;
  readonly score: number;
  readonly confidence: number;
  readonly pass?: boolean;
  readonly fail?: boolean;
  readonly recommend: readonly string[];
  readonly strength: readonly string[];
  readonly weakness: readonly string[];
  readonly address?: string;
  readonly tls?: boolean;
  /** Paths of PEM files. */
  readonly tlsCa?: string;
  readonly tlsCert?: string;
  readonly tlsKey?: string;
  readonly requestKey?: string;
}

interface Shown {
  readonly votes: readonly VoteView[];
  readonly escalation: Escalation | null;
  readonly decision: (JsonObject & { readonly outcome: string; readonly reason: string }) | null;
}

/** How often a watched negotiation is looked at, ms. */
const LOOK_MS = 500;
const COLUMNS = ['artifact_id', 'artifact_type', 'status', 'outcome', 'due_at', 'requested_critics'];

export async function list(context: Context, { mine, ...filter }: Filter): Promise<ExitCode> {
  const path = `/negotiations${queryOf({ ...filter, critic: mine ? 'me' : undefined })}`;
  showItems(context, await context.answer<JsonObject>({ method: 'GET', path }), COLUMNS);
  return EXIT.ok;
}

export async function show(context: Context, artifact: string, looking: Looking): Promise<ExitCode> {
  const negotiation = await read(context, artifact, asked(looking));
  if (context.json) showObject(context, negotiation);
  else tell(context, negotiation as unknown as Shown & JsonObject);
  return EXIT.ok;
}

/** Whatever the decision is, it was told: that is no failure; nor is a reader who has seen enough. */
export async function watch(context: Context, artifact: string): Promise<ExitCode> {
  const { io, json } = context;
  for (let told = 0; !io.unread.aborted;) {
    const answer = await read(context, artifact);
    const { votes, decision } = answer as unknown as Shown;
    if (!json) for (const vote of votes.slice(told)) io.out(lineOf(vote));
    told = votes.length;
    if (decision) {
      io.out(json ? JSON.stringify(answer, null, 2) : `${decision.outcome}: ${plain(decision.reason)}`);
      return EXIT.ok;
    }
    await pause(LOOK_MS);
  }
  return EXIT.ok;
}

/** @throws CommandError with the room's own words where it takes no such vote */
export async function vote(context: Context, artifact_id: string, options: VoteOptions): Promise<ExitCode> {
  const { critic: critic_id, score, confidence, pass = false, fail = false } = options;
  if (pass === fail) throw new CommandError('say --pass or --fail', EXIT.usage);
  const words = { strengths: options.strength, weaknesses: options.weakness, recommendations: options.recommend };
  const wire = {
    artifact_id,
    critic_id,
    score,
    confidence,
    passed: pass,
    ...words,
    negotiation_room_id: '',
    voted_at: null,
  };
  const address = options.address ?? addressOf(context);
  const tls = tlsOf(context, options);
  const key = options.requestKey;
  const under = `${tls ? ' by TLS' : ''}${key === undefined ? '' : ` with x-idempotency-key: ${key}`}`;
  if (rehearsedHere(context, `send SubmitVote to ${address} ${JSON.stringify(wire)}${under}`)) return EXIT.ok;
  const { token } = context;
  if (token === undefined) throw new CommandError('MACE_TOKEN or --token-file: the critic’s token', EXIT.usage);
  const called = { address, token, ...(key === undefined ? {} : { key }), ...(tls ? { tls } : {}) };
  const disposition = await sent(called, wire);
  if (context.json) context.io.out(JSON.stringify({ artifact_id, critic_id, disposition }, null, 2));
  else context.io.out(disposition === 'late' ? 'late: recorded, and not counted' : 'counted');
  return EXIT.ok;
}

/** What the library adds where it has nothing to add. */
const EMPTY_NOTE = / ?Resolution note: *$/;

async function sent(called: Called, wire: WireVote): Promise<'counted' | 'late'> {
  const { submitVote } = await import('../../../negotiation/src/room-caller.js');
  try {
    return await submitVote(called, wire);
  } catch (error) {
    const { details, metadata } = error as {
      readonly details?: string;
      readonly metadata?: { get(name: string): unknown[] };
    };
    const code = metadata?.get('mace-error-code')[0];
    if (typeof code === 'string' && isErrorCode(code))
      throw new CommandError(`${code}: ${details ?? ''}${whereOf(code, called)}`, exitCodeOf(code));
    throw new CommandError(
      `no Negotiation Room answers at ${called.address}: ${plain((details ?? String(error)).replace(EMPTY_NOTE, ''))}; --address or MACE_GRPC_PORT names another`,
      EXIT.unavailable,
    );
  }
}

/** A token that is good elsewhere was shown to the room of somebody else. */
function whereOf(code: string, { address }: Called): string {
  return code === 'UNAUTHENTICATED' ? ` (by the room at ${address}; --address or MACE_GRPC_PORT names another)` : '';
}

/** As the options say; a room of this configuration that has a certificate is never called in plain. */
function tlsOf({ config }: Context, { tls, tlsCa, tlsCert, tlsKey, address }: VoteOptions): RoomTls | undefined {
  if ((tlsCert === undefined) !== (tlsKey === undefined))
    throw new CommandError('--tls-cert and --tls-key: both or neither', EXIT.usage);
  const isOwnRoom = address === undefined && config.grpc.tls !== undefined;
  if (!tls && tlsCa === undefined && tlsCert === undefined && !isOwnRoom) return undefined;
  return {
    ...(tlsCa === undefined ? {} : { authorities: pem('--tls-ca', tlsCa) }),
    ...(tlsCert === undefined || tlsKey === undefined
      ? {}
      : { own: { cert: pem('--tls-cert', tlsCert), key: pem('--tls-key', tlsKey) } }),
  };
}

function pem(option: string, file: string): Buffer {
  try {
    return readFileSync(file);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new CommandError(`${option}: ${file} cannot be read (${code ?? 'unknown fault'})`, EXIT.usage);
  }
}

/** @throws CommandError where the port was left to the system */
function addressOf({ config: { host, grpc } }: Context): string {
  if (grpc.port === 0) throw new CommandError('--address: host:port, as the server said at its start', EXIT.usage);
  return `${host}:${grpc.port}`;
}

function read(context: Context, artifact: string, query = ''): Promise<JsonObject> {
  const path = `/negotiations/${encodeURIComponent(artifact)}${query}`;
  return context.answer<JsonObject>({ method: 'GET', path });
}

function tell({ io }: Context, { votes, escalation, decision, ...proposal }: Shown & JsonObject): void {
  const rows = ['artifact_id', 'artifact_type', 'producer_id', 'requested_critics', 'status', 'due_at'];
  const cell = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));
  for (const line of table(rows.map((name) => [name, cell(proposal[name])]))) io.out(line);
  for (const vote of votes) io.out(lineOf(vote));
  if (escalation) {
    const { critics, due_at, before } = escalation;
    io.out(`senior critics are asked until ${due_at}: ${plain(`${critics.join(', ')} (${before.reason})`)}`);
  }
  if (decision) io.out(`${decision.outcome}: ${plain(decision.reason)}`);
}

function lineOf({ critic_id, passed, score, confidence }: VoteView): string {
  return `${plain(critic_id)} ${passed ? 'passes' : 'fails'} it: score ${score}, confidence ${confidence}`;
}
