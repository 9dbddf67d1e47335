import { createHash, createPrivateKey, createPublicKey, type KeyObject } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { inspect } from 'node:util';

import { type KeySource, ReplySigner, type ResponseKey } from '#lib/signatures';

import { CONTRACT_VERSION, type TurnAnswer, type TurnRequest } from './contract.js';
import { Gate, Refusal } from './gate.js';

export interface AgentOptions {
  /** The intents that it serves, such as `creative`; `GET /health` tells them. */
  readonly capabilities: readonly string[];
  /**
   * What it makes of a turn: an answer, or its text alone. What it throws is told to `onError`, and to MACE only that it
   * failed. @param signal aborted when the turn's time is over, or nobody waits any more
   */
  answer(request: TurnRequest, signal: AbortSignal): Answered | Promise<Answered>;
  /** PORT or 8700 where absent; 0 is any free one. */
  readonly port?: number | undefined;
  /** 127.0.0.1 where absent. */
  readonly host?: string | undefined;
  /**
   * Whose signature each request must carry: the address of MACE, which publishes its keys, or the keys. MACE_URL or
   * http://127.0.0.1:3000 where absent; null for nobody's.
   */
  readonly mace?: string | readonly ResponseKey[] | KeySource | null | undefined;
  /** The address by which MACE calls it, where a proxy on the way changes host or path. */
  readonly publicUrl?: string | undefined;
  /** What MACE must send as a bearer token. */
  readonly secret?: string | undefined;
  /** An Ed25519 key, or its PEM, that signs each answer. */
  readonly signWith?: KeyObject | string | undefined;
  /** The standard error where absent. */
  readonly onError?: (error: unknown) => void;
}

type Answered = TurnAnswer | string;

export interface RunningAgent {
  readonly url: string;
  /** By which its answers can be checked, `x` of the JSON Web Key; undefined where they are not signed. */
  readonly publicKey: string | undefined;
  close(): Promise<void>;
}

/** More than a question with everything that MACE sends beside it. */
const MAX_REQUEST_BYTES = 1024 * 1024;
/** What MACE takes. */
const MAX_ANSWER_BYTES = 256 * 1024;
const REQUEST_MS = 30_000;
/** Longer than MACE keeps a connection that is idle: closed here first, it could be just when the next turn goes out. */
const KEEP_MS = 65_000;
/** Of the longest timer. */
const MAX_TURN_MS = 2 ** 31 - 1;
const FAILED = 'the agent failed; its own log says why';

/** Serves an agent to MACE over HTTP (docs/agents.md). @throws Error where it cannot listen; TypeError for its options */
export async function serveAgent(options: AgentOptions): Promise<RunningAgent> {
  const { port = Number(process.env['PORT'] ?? 8700), host = '127.0.0.1' } = options;
  const agent = new HttpServer(options);
  const server = createServer({ requestTimeout: REQUEST_MS, keepAliveTimeout: KEEP_MS }, (request, response) => {
    agent.serve(request, response).catch((error: unknown) => agent.tell(error));
  });
  await once(server.listen(port, host), 'listening');
  const { port: taken } = server.address() as AddressInfo;
  return {
    url: `http://${host.includes(':') ? `[${host}]` : host}:${taken}/`,
    publicKey: agent.signing?.publicKey,
    close: async () => {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

class HttpServer {
  private readonly gate: Gate;
  readonly signing: Signing | undefined;

  constructor(private readonly options: AgentOptions) {
    const { mace = process.env['MACE_URL'] ?? 'http://127.0.0.1:3000', secret, publicUrl, signWith } = options;
    this.gate = new Gate({ mace, secret, publicUrl });
    this.signing = signWith === undefined ? undefined : signingWith(signWith);
  }

  async serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    let [status, said]: [number, unknown] = [200, undefined];
    try {
      said = await this.said(request, response);
    } catch (error) {
      if (!(error instanceof Refusal) || error.cause !== undefined) this.tell(error);
      [status, said] = error instanceof Refusal ? [error.status, { error: error.message }] : [500, { error: FAILED }];
    }
    const body = Buffer.from(JSON.stringify(said));
    // What was not read cannot be told from the next request.
    if (!request.complete) response.setHeader('connection', 'close');
    response.writeHead(status, {
      'content-type': 'application/json',
      'content-length': body.length,
      ...this.signed(request, status, body),
    });
    response.end(body);
  }

  tell(error: unknown): void {
    (this.options.onError ?? written)(error);
  }

  private async said(request: IncomingMessage, response: ServerResponse): Promise<unknown> {
    const { method, url = '' } = request;
    if (method === 'GET' && /^\/health(?:\?|$)/.test(url))
      return { status: 'ok', contract: CONTRACT_VERSION, capabilities: this.options.capabilities };
    if (method !== 'POST') throw new Refusal(405, 'a turn is a POST');
    this.gate.refuseStrangers(request);
    const contract = request.headers['mace-agent-contract'];
    if (contract !== CONTRACT_VERSION)
      throw new Refusal(400, `mace-agent-contract: ${CONTRACT_VERSION} is spoken here`);
    const body = await read(request);
    await this.gate.refuseForged(request, body);
    return this.answered(turnIn(body), response);
  }

  private async answered(turn: TurnRequest, response: ServerResponse): Promise<TurnAnswer> {
    const gone = new AbortController();
    const leave = (): void => gone.abort(new Refusal(499, 'nobody waits for it any more'));
    const late = setTimeout(() => gone.abort(new Refusal(504, 'the time of the turn is over')), turn.limits.timeout_ms);
    response.once('close', leave);
    try {
      const over = new Promise<never>((_, failed) =>
        gone.signal.addEventListener('abort', () => failed(gone.signal.reason as Refusal)),
      );
      const answering = (async () => this.options.answer(turn, gone.signal))();
      const said = await Promise.race([answering, over]);
      const answer = typeof said === 'string' ? { text: said } : said;
      return held({ outcome: 'answer', ...answer });
    } finally {
      clearTimeout(late);
      response.off('close', leave);
    }
  }

  private signed(request: IncomingMessage, status: number, body: Buffer): object {
    const { signature } = request.headers;
    if (!this.signing || typeof signature !== 'string') return {};
    return this.signing.signer.headersFor({ status, body, requestSignature: signature }, Date.now());
  }
}

/** @throws Refusal */
async function read(request: IncomingMessage): Promise<Buffer> {
  const tooLarge = new Refusal(413, `a turn takes at most ${MAX_REQUEST_BYTES} bytes`);
  if (Number(request.headers['content-length']) > MAX_REQUEST_BYTES) throw tooLarge;
  const chunks: Buffer[] = [];
  let size = 0;
  // Left early, the request stays open for its refusal to go out.
  for await (const chunk of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    if ((size += chunk.length) > MAX_REQUEST_BYTES) throw tooLarge;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks, size);
}

/** @throws Refusal */
function turnIn(body: Buffer): TurnRequest {
  let turn: Partial<TurnRequest> | null;
  try {
    turn = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body)) as Partial<TurnRequest> | null;
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof TypeError) throw new Refusal(400, 'no JSON in UTF-8');
    throw error;
  }
  const isTurn = typeof turn?.query_text === 'string' && isTime(turn.limits?.timeout_ms);
  if (!isTurn) throw new Refusal(400, 'no turn of contract 1: query_text and limits.timeout_ms are needed');
  return turn as TurnRequest;
}

const isTime = (ms: unknown): boolean => Number.isSafeInteger(ms) && Number(ms) >= 1 && Number(ms) <= MAX_TURN_MS;

function written(error: unknown): void {
  process.stderr.write(`${inspect(error)}\n`);
}

/** What no type has seen is told where it was made, and not by MACE alone. */
function held(answer: TurnAnswer): TurnAnswer {
  if (typeof answer.text !== 'string') throw new TypeError('an answer is a text, or {text, ...}');
  if (Buffer.byteLength(JSON.stringify(answer)) > MAX_ANSWER_BYTES)
    throw new RangeError(`an answer has at most ${MAX_ANSWER_BYTES} bytes`);
  return answer;
}

interface Signing {
  readonly signer: ReplySigner;
  readonly publicKey: string | undefined;
}

/** @throws TypeError where it is no Ed25519 private key */
function signingWith(given: KeyObject | string): Signing {
  const key = typeof given === 'string' ? createPrivateKey(given) : given;
  if (key.type !== 'private' || key.asymmetricKeyType !== 'ed25519')
    throw new TypeError('signWith: a private key of Ed25519');
  const { crv, kty, x } = createPublicKey(key).export({ format: 'jwk' });
  // RFC 7638.
  const kid = createHash('sha256').update(JSON.stringify({ crv, kty, x })).digest('base64url');
  return { signer: new ReplySigner({ kid, secret: key.export({ format: 'der', type: 'pkcs8' }) }), publicKey: x };
}
