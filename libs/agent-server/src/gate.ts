import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';

import {
  CLOCK_SKEW_S,
  keysIn,
  type KeySource,
  type ReceivedRequest,
  type ResponseKey,
  TrustedKeys,
  verifyRequest,
} from '#lib/signatures';

/** Who may ask: MACE, told by its signature and by a secret. */

/** A request that gets no turn; `message` is told to whoever sent it. */
export class Refusal extends Error {
  constructor(
    readonly status: number,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

export interface GateOptions {
  /** Where MACE is, or its keys; nobody's signature is asked for where null. */
  readonly mace: string | readonly ResponseKey[] | KeySource | null;
  readonly secret: string | undefined;
  /** What MACE calls this agent by, where that is not what comes as `Host`. */
  readonly publicUrl: string | undefined;
}

/** Longer than an answer of MACE takes to come; what asks for a turn waits for it. */
const KEYS_MS = 5_000;
/** Anybody may name a key that is unknown: MACE is asked for others at most so often. */
const APART_MS = 5_000;
const COVERED = ['mace-agent-contract'];

export class Gate {
  private readonly keys: TrustedKeys | null;
  private readonly secret: Buffer | null;
  private readonly publicUrl: URL | null;

  /** @throws TypeError where `mace` or `publicUrl` is no address of HTTP */
  constructor({ mace, secret, publicUrl }: GateOptions) {
    const source = typeof mace === 'string' ? keysAt(address('mace', mace)) : mace;
    this.keys = source === null ? null : new TrustedKeys(source, APART_MS);
    this.secret = secret === undefined ? null : digest(secret);
    this.publicUrl = publicUrl === undefined ? null : address('publicUrl', publicUrl);
  }

  /** Before a body is read. @throws Refusal */
  refuseStrangers({ headers }: IncomingMessage): void {
    if (this.secret === null) return;
    const [, given = ''] = /^Bearer +(\S+)$/i.exec(headers.authorization ?? '') ?? [];
    if (!timingSafeEqual(digest(given), this.secret))
      throw new Refusal(401, 'authorization: not the secret of this agent');
  }

  /** @throws Refusal */
  async refuseForged(request: IncomingMessage, body: Buffer): Promise<void> {
    if (this.keys === null) return;
    const received = { ...namesOf(request, this.publicUrl), headers: linesOf(request), body };
    const age = { now: Math.floor(Date.now() / 1_000), maxAgeS: CLOCK_SKEW_S };
    const verdict = await this.keys
      .verdict((keys) => verifyRequest(received, keys, COVERED, age), Date.now())
      .catch((error: unknown) => {
        throw new Refusal(503, 'the keys of MACE to check its signature with cannot be had', { cause: error });
      });
    if (!verdict.verified) throw new Refusal(401, verdict.reason);
  }
}

function keysAt(mace: URL): KeySource {
  const url = new URL(`${mace.pathname.replace(/\/$/, '')}/.well-known/jwks.json`, mace);
  return async () => {
    const headers = { accept: 'application/json', 'cache-control': 'no-cache' };
    const answer = await fetch(url, { headers, redirect: 'error', signal: AbortSignal.timeout(KEYS_MS) });
    const keys = answer.ok ? keysIn(await answer.json()) : undefined;
    if (!keys) throw new Error(`${url.href}: no keys of MACE (status ${answer.status})`);
    return keys;
  };
}

function namesOf(
  { method, url, headers }: IncomingMessage,
  publicUrl: URL | null,
): Pick<ReceivedRequest, 'method' | 'url'> {
  const called = publicUrl?.href ?? `http://${headers.host ?? ''}${url ?? '/'}`;
  if (!URL.canParse(called)) throw new Refusal(400, 'Host and path are no address');
  return { method: method ?? '', url: new URL(called) };
}

function linesOf({ rawHeaders }: IncomingMessage): readonly (readonly [string, string])[] {
  const lines: (readonly [string, string])[] = [];
  for (let at = 0; at < rawHeaders.length; at += 2) lines.push([rawHeaders[at]!, rawHeaders[at + 1]!]);
  return lines;
}

function address(name: string, text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url && /^https?:$/.test(url.protocol)) return url;
  throw new TypeError(`${name}: an address such as http://127.0.0.1:3000`);
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
