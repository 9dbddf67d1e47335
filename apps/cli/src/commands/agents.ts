import { existsSync } from 'node:fs';

import type { AgentReply, RemoteParts } from '#lib/agents';
import type { JsonObject } from '#lib/kernel';
import type { RouterConstants, RoutingModule } from '#lib/routing';

import type { Context } from '../context.js';
import { CommandError, EXIT, type ExitCode } from '../exit-codes.js';
import { plain, table } from '../io.js';
import { type NewModule, register } from './modules.js';
import { given, type Page, queryOf, showItems } from './shown.js';

interface Row extends JsonObject {
  readonly node_id: string;
  readonly agent_id: string;
  readonly status: RoutingModule['status'];
  readonly apt: number;
  readonly dependency_unhealthy: boolean;
  readonly capabilities: readonly string[];
  readonly endpoint: { readonly kind: string; readonly url: string } | null;
  readonly prompt: { readonly model?: string } | null;
  readonly callable: boolean;
  readonly not_callable_reason: string | null;
}

/** `mace agents list`: modules that answer, and how each is called, or why it is not. */
export async function list(context: Context, { limit, cursor }: Page): Promise<ExitCode> {
  const path = `/modules${queryOf({ type: 'agent', limit, cursor })}`;
  const answer = await context.answer<JsonObject & { readonly items: readonly Row[] }>({ method: 'GET', path });
  const columns = ['node_id', 'kind', 'at', 'capabilities', 'status', 'apt', 'calls'];
  if (context.json) {
    showItems(context, answer, columns);
    return EXIT.ok;
  }
  const leastOf = await trusts(context);
  const items = answer.items.map((row) => ({
    ...row,
    kind: row.endpoint?.kind ?? (row.prompt === null ? 'built in' : 'prompt'),
    at: row.endpoint === null ? (row.prompt?.model ?? '-') : new URL(row.endpoint.url).host,
    calls: callsOf(row, leastOf(row)),
  }));
  showItems(context, { ...answer, items }, columns);
  return EXIT.ok;
}

function callsOf({ callable, not_callable_reason, status, apt }: Row, least: number | null): string {
  if (!callable) return `no: ${not_callable_reason ?? 'it cannot be called'}`;
  if (least === null) return `no: ${status}`;
  return apt < least ? `no: trust ${apt}, asked from ${least} on` : 'yes';
}

/** The least trust with which an agent is asked, by the policies in force; null where none is enough. */
async function trusts(context: Context): Promise<(row: Row) => number | null> {
  const inForce = async <T>(policy: string): Promise<T> => {
    const path = `/governance/events/${policy}?limit=1`;
    return (await context.answer<{ readonly in_force: { readonly body: T } }>({ method: 'GET', path })).in_force.body;
  };
  const { leastTrust } = await import('#lib/routing');
  const router = await inForce<RouterConstants>('router');
  const attention = await inForce<{ readonly explore_bias: number }>('brainstate');
  return (row) => leastTrust(row, router, { attention, goals: [] });
}

/** `mace agents add`: the short way of `mace modules register` for an agent that answers at a URL. */
export async function add(context: Context, nodeId: string, url: string, module: NewModule): Promise<ExitCode> {
  endpointOf(url);
  if (!nodeId.startsWith('agent:')) throw new CommandError('node_id: agent:name, such as agent:poet_v1', EXIT.usage);
  const code = await register(context, nodeId, { ...module, url });
  if (!context.json && !context.dryRun)
    context.io.say('the council votes on it (mace governance vote REQUEST approve); then mace agents list shows it');
  return code;
}

export interface Trial {
  /** Names of the intents that the question is taken for. */
  readonly intent: readonly string[];
  /** What critics ask to change in an answer before. */
  readonly change: readonly string[];
  readonly secretRef?: string;
  readonly publicKey?: string;
}

/** As the governance policy of a release has it. */
const TIMEOUT_MS = 10_000;
/** Of an answer, as it is shown to a person. */
const MOST_SHOWN = 2_000;

interface Exchange {
  sent?: { readonly headers: Readonly<Record<string, string>>; readonly body: string };
  came?: { readonly status: number; readonly bytes: number; readonly text: string };
}

/** `mace agents try`: asks a URL once as MACE asks an agent for a turn, and says what came of it; records nothing. */
export async function tryOut(context: Context, at: string, question: string, trial: Trial): Promise<ExitCode> {
  const url = endpointOf(at);
  const { AgentHosts, EndpointCaller, HttpAgent, withoutSecret } = await import('#lib/agents');
  const listed = context.config.agentHosts;
  const caller = new EndpointCaller(new AgentHosts([...listed, url.hostname]));
  const notes = new AgentHosts(listed).lists(url)
    ? []
    : [`a server calls it only where its MACE_AGENT_HOSTS lists ${url.hostname}; the setting here does not`];
  const exchange: Exchange = {};
  const { secretRef } = trial;
  const secret = secretRef === undefined ? '' : secretIn(context, secretRef);
  const masked = (text: string): string => withoutSecret(text, secret, `(${secretRef})`);
  const started = performance.now();
  let reply: AgentReply;
  try {
    const { sign, note } = await signing(context);
    if (note !== undefined) notes.push(note);
    const agent = new HttpAgent(
      'tried_agent',
      { kind: 'http', url: url.href, ...given({ secret_ref: secretRef, public_key: trial.publicKey }) },
      {
        caller: { call: (outgoing) => noted(exchange, { caller, outgoing, masked }) },
        sign,
        pseudonym: () => '0'.repeat(32),
        secret: () => secret,
        clock: () => performance.now(),
      },
    );
    reply = await agent.answer({
      turn: {
        job_id: `job:${'0'.repeat(32)}`,
        node_id: 'agent:tried_v1',
        iteration: 1,
        attempt: trial.change.length === 0 ? 1 : 2,
        retry: 0,
        intent_tags: trial.intent,
        timeout_ms: TIMEOUT_MS,
        reads_memory: false,
      },
      query_text: question,
      user_id: 'user_local',
      depth: 1,
      token_budget: 512,
      suggested_changes: trial.change,
      // An agent elsewhere has none within its reach.
      effects: {} as Parameters<typeof agent.answer>[0]['effects'],
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
  } finally {
    caller.close();
  }
  const ms = Math.round(performance.now() - started);
  tell(context, { url, exchange, reply, ms, notes, secretRef });
  return reply.kind === 'failed' ? EXIT.failure : EXIT.ok;
}

/** @throws CommandError */
function endpointOf(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url && /^https?:$/.test(url.protocol) && url.username === '' && url.password === '' && url.hash === '')
    return url;
  throw new CommandError(
    'url: http or https, without credentials and fragment, such as http://127.0.0.1:8700/',
    EXIT.usage,
  );
}

interface Outgoing {
  readonly caller: RemoteParts['caller'];
  readonly outgoing: Parameters<RemoteParts['caller']['call']>[0];
  readonly masked: (text: string) => string;
}

async function noted(exchange: Exchange, { caller, outgoing, masked }: Outgoing) {
  exchange.sent = { headers: outgoing.headers, body: outgoing.body?.toString() ?? '' };
  const called = await caller.call(outgoing);
  const { status, bytes } = called;
  exchange.came = { status, bytes: bytes.length, text: masked(bytes.toString()) };
  return called;
}

/** With the key of the folder, where this process can read it: an agent then tells it from others as it does MACE. */
async function signing({ config }: Context): Promise<{ readonly sign: RemoteParts['sign']; readonly note?: string }> {
  const { KeyFileError } = await import('#lib/access');
  const { RequestSigner } = await import('#lib/signatures');
  const { keyFileOf, ringOf } = await import('../own-keys.js');
  const unsigned = (why: string) => ({ sign: () => ({}), note: `it is not signed: ${why}` });
  const file = keyFileOf(config);
  if (!existsSync(file)) return unsigned(`${file} is not there; --data names the folder of your server`);
  try {
    const ring = ringOf(config);
    const signer = new RequestSigner(ring.active('response-signature'));
    return { sign: ({ nonce, ...request }) => ({ ...signer.headersFor(request, nonce, Date.now()) }) };
  } catch (error) {
    if (!(error instanceof KeyFileError)) throw error;
    return unsigned(error.message);
  }
}

/** @throws CommandError */
function secretIn({ env }: Context, name: string): string {
  const secret = env[name]?.trim() ?? '';
  if (secret !== '') return secret;
  throw new CommandError(`--secret-ref: ${name} is not set here`, EXIT.usage);
}

interface Outcome {
  readonly url: URL;
  readonly exchange: Exchange;
  readonly reply: AgentReply;
  readonly ms: number;
  readonly notes: readonly string[];
  readonly secretRef: string | undefined;
}

function tell({ io, json }: Context, { url, exchange: { sent, came }, reply, ms, notes, secretRef }: Outcome): void {
  const headers = { ...sent?.headers, ...(secretRef === undefined ? {} : { authorization: `Bearer (${secretRef})` }) };
  for (const note of notes) io.say(`note: ${plain(note)}`);
  if (json) {
    const body: unknown = sent === undefined ? null : JSON.parse(sent.body);
    return io.out(JSON.stringify({ sent: { url: url.href, headers, body }, came: came ?? null, reply, ms }, null, 2));
  }
  io.out(`sent  POST ${url.href}`);
  for (const line of table(Object.entries(headers))) io.out(`      ${line}`);
  if (sent !== undefined)
    for (const line of table(
      Object.entries(JSON.parse(sent.body) as object).map(([name, value]) => [name, JSON.stringify(value)]),
    ))
      io.out(`      ${line}`);
  io.out(
    came === undefined ? `came  nothing, after ${ms} ms` : `came  ${came.status}, ${came.bytes} bytes, after ${ms} ms`,
  );
  if (came !== undefined && came.text !== '') io.out(`      ${plain(came.text.slice(0, MOST_SHOWN))}`);
  for (const line of verdictOn(reply, came?.text)) io.out(line);
}

function verdictOn(reply: AgentReply, text: string | undefined): readonly string[] {
  switch (reply.kind) {
    case 'answer':
      return [`so    MACE takes it, with confidence ${reply.confidence}; the council would vote on it now`];
    case 'declined':
      return ['so    MACE takes it: the question goes to another agent'];
    case 'failed':
      return [
        `so    MACE does not take it: ${plain(reply.reason)} (${reply.error_class}, docs/agents.md)`,
        ...hintOn(reply.error_class, text),
      ];
    default:
      return [];
  }
}

/** What is behind faults that one meets first. */
function hintOn(errorClass: string, text = ''): readonly string[] {
  if (errorClass === 'RemoteNotReached') return ['      nothing listens there, or the name leads nowhere'];
  if (errorClass === 'RemoteCalledOff') return [`      an answer has to come within ${TIMEOUT_MS / 1000} s`];
  if (errorClass === 'RemoteNotJson' && text.trimStart().startsWith('<'))
    return ['      it looks like a page, and not like an agent'];
  return [];
}
