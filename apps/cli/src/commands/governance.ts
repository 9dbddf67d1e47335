import type { JsonObject } from '#lib/kernel';

import type { Call } from '../client.js';
import { readBefore, rehearsed, type Context } from '../context.js';
import { EXIT, type ExitCode } from '../exit-codes.js';
import { plainText, table } from '../io.js';
import { everyItem, given, queryOf, send as sendShown, showItems } from './shown.js';
import { wholeId } from './whole-id.js';

interface Row {
  readonly request_id: string;
  readonly kind: string;
  readonly status: string;
  readonly required_approval_type: string;
  readonly requested_by: string;
  readonly due_at: string;
  readonly council_quorum: number;
  readonly tally: { readonly approve: number; readonly reject: number; readonly abstain: number };
}

interface Listed {
  readonly items: readonly Row[];
  readonly next_cursor: string | null;
  readonly dsr_waiting: number;
}

interface Request extends Row {
  readonly payload: JsonObject;
  readonly justification: string;
  readonly evidence: readonly string[];
  readonly proposal_digest: string;
  readonly votes: readonly { readonly voter: string; readonly vote: string; readonly reason: string | null }[];
  readonly execution: JsonObject | null;
}

export interface Say {
  readonly digest?: string;
  readonly reason?: string;
}

/** Stands for a digest that a rehearsal could not read. */
const AS_IT_IS_THEN = '(that of the request as it is then)';

export async function list(
  context: Context,
  filter: { status?: string; kind?: string; limit: number; cursor?: string },
): Promise<ExitCode> {
  const path = `/actionrequest${queryOf({ ...filter })}`;
  const answer = await context.answer<Listed>({ method: 'GET', path });
  const { io, json } = context;
  if (json) io.out(JSON.stringify(answer, null, 2));
  else {
    const rows = answer.items.map((row) => [row.request_id, row.kind, row.status, votesOf(row), row.due_at]);
    for (const line of table([['REQUEST', 'ACTION', 'STATUS', 'VOTES', 'DUE'], ...rows])) io.out(line);
    if (answer.next_cursor !== null) io.say(`more: --cursor ${answer.next_cursor}`);
    if (answer.dsr_waiting > 0) {
      io.say(`deletions that wait for a decision: ${answer.dsr_waiting} (mace dsr list --state waiting_for_approval)`);
    }
  }
  return EXIT.ok;
}

export interface Looked {
  readonly asOf?: string;
  readonly unredacted?: boolean;
}

export async function show(context: Context, id: string, { unredacted }: Looked): Promise<ExitCode> {
  tell(context, await read(context, await whole(context, id), unredacted));
  return EXIT.ok;
}

/** The events of a request, or of a policy with what it says after them. */
export async function events(context: Context, id: string, { asOf, unredacted }: Looked): Promise<ExitCode> {
  const query = { as_of: asOf, unredacted: unredacted ? 'true' : undefined };
  const history = await everyItem<JsonObject>(context, `/governance/events/${encodeURIComponent(id)}`, query);
  showItems(context, history as unknown as JsonObject, ['position', 'type', 'signed_by', 'data']);
  if (!context.json && history['in_force']) context.io.out(plainText(JSON.stringify(history['in_force'], null, 2)));
  return EXIT.ok;
}

export interface Asked {
  readonly justification: string;
  readonly evidence?: readonly string[];
}

/** `mace governance create`. */
export function create(context: Context, kind: string, payload: JsonObject, asked: Asked): Promise<ExitCode> {
  const { justification, evidence } = asked;
  const body = given({ kind, payload, justification, evidence });
  return sendShown(context, { method: 'POST', path: '/actionrequest/create', body });
}

/** `mace governance propose`. */
export function propose(context: Context, policy: string, change: JsonObject, asked: Asked): Promise<ExitCode> {
  const { justification, evidence } = asked;
  const body = given({ policy, change, justification, evidence });
  return sendShown(context, { method: 'POST', path: '/governance/policy/propose', body });
}

export interface Overriding {
  readonly request?: string;
  readonly digest?: string;
  readonly kind?: string;
  readonly payload?: JsonObject;
  readonly justification?: string;
  readonly reason?: string;
}

/** `mace governance override`. */
export function override(context: Context, { request, digest, ...rest }: Overriding): Promise<ExitCode> {
  const { kind, payload, justification, reason } = rest;
  const body = given({ request_id: request, proposal_digest: digest, kind, payload, justification, reason });
  return sendShown(context, { method: 'POST', path: '/superadmin/override', body });
}

export function vote(context: Context, id: string, ballot: string, say: Say): Promise<ExitCode> {
  return send(context, id, 'vote', { vote: ballot }, say);
}

export function approve(context: Context, id: string, say: Say): Promise<ExitCode> {
  return send(context, id, 'approve', {}, say);
}

/** Signs the digest of the request as it is read now, unless one was given: what was shown before and is meant. */
async function send(context: Context, typed: string, what: string, body: JsonObject, say: Say): Promise<ExitCode> {
  const id = await whole(context, typed);
  const digest =
    say.digest ?? (await readBefore(context, async () => (await read(context, id)).proposal_digest, AS_IT_IS_THEN));
  const reason: JsonObject = say.reason === undefined ? {} : { reason: say.reason };
  const path = `${pathOf(id)}/${what}`;
  const call: Call = { method: 'POST', path, body: { ...body, proposal_digest: digest, ...reason } };
  if (rehearsed(context, call)) return EXIT.ok;
  tell(context, await context.answer<Request>(call));
  return EXIT.ok;
}

function whole(context: Context, typed: string): Promise<string> {
  return wholeId(context, typed, { path: '/actionrequest', member: 'request_id' });
}

function read(context: Context, id: string, unredacted?: boolean): Promise<Request> {
  const query = queryOf({ unredacted: unredacted ? 'true' : undefined });
  return context.answer<Request>({ method: 'GET', path: pathOf(id) + query });
}

function tell({ io, json }: Context, request: Request): void {
  if (json) return io.out(JSON.stringify(request, null, 2));
  const { status, kind, payload, justification, evidence, proposal_digest, votes, execution } = request;
  const rows = [
    ['request', request.request_id],
    ['action', kind],
    ['status', status],
    ['asked by', request.requested_by],
    ['decided by', request.required_approval_type],
    ['votes', votesOf(request)],
    ['due', request.due_at],
    ['payload', JSON.stringify(payload)],
    ['because', justification],
    ...(evidence.length > 0 ? [['evidence', evidence.join(', ')]] : []),
    ['digest', proposal_digest],
    ...votes.map(({ voter, vote, reason }) => ['', `${voter}: ${vote}${reason === null ? '' : `, ${reason}`}`]),
    ...(execution ? [['execution', JSON.stringify(execution['result'] ?? execution['reason'] ?? null)]] : []),
  ];
  for (const line of table(rows)) io.out(line);
}

function votesOf({ tally: { approve, reject, abstain }, council_quorum: quorum, required_approval_type: type }: Row) {
  return `${approve} for, ${reject} against, ${abstain} abstained${type === 'admin_single' ? '' : ` (of ${quorum})`}`;
}

function pathOf(id: string): string {
  return `/actionrequest/${encodeURIComponent(id)}`;
}
