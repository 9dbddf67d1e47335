import type { IncomingMessage, Server } from 'node:http';
import type { Duplex } from 'node:stream';

import { type WebSocket, WebSocketServer } from 'ws';

import {
  type Authenticator,
  authorize,
  type Denials,
  type Principal,
  type RateLimits,
  type Refusals,
  type RevocationList,
  type TrustedProxies,
} from '#lib/access';
import { MaceError, RateLimitedError } from '#lib/kernel';

import { refuseRepeatedHeaders, tokenIn } from '../../edge/bearer.js';
import { clientOf } from '../../edge/client-address.js';
import { failureOf } from '../../edge/failure.js';
import type { FailureListener } from '../../edge/failure-listener.js';
import { refusalOf } from '../../live/sse-sessions.js';
import type { Denied, Outer } from '../asking.js';
import type { Engine } from '../engine.js';
import { type CLOSING, type Closing } from './closing.js';
import { asksForSocket, passOver } from './pass-over.js';
import { SOCKET_LIMITS, type SocketLimits } from './socket-limits.js';
import { type Admitted, SocketSession } from './socket-session.js';

export interface SocketParts {
  readonly authenticator: Pick<Authenticator, 'seen' | 'authenticate'>;
  readonly revocations: Pick<RevocationList, 'onChange'>;
  readonly denials: Pick<Denials, 'count'>;
  readonly refusals: Pick<Refusals, 'count'>;
  /** Absent where there is no limit. */
  readonly rateLimits?: RateLimits | undefined;
  readonly proxies: TrustedProxies;
  /** Answers a request for a socket with what it is refused with, and closes. */
  readonly refuse: (socket: Duplex, error: MaceError) => void;
  readonly isPersonal: (text: string) => boolean;
  readonly listener: FailureListener;
  readonly limits?: SocketLimits;
}

const PROTOCOL = 'graphql-transport-ws';
const ACCESS = 'graphql.ask';
const PATH = '/graphql';
/** A socket has none. */
const NO_TRACE = '-';
const RETRY_MS = 10_000;
const STOPPING = { error_code: 'DATA_UNAVAILABLE', reason: 'server_stopping' };

/** The sockets over which subscriptions are followed, each for as long as its token is good. */
export class Sockets {
  private readonly sessions = new Set<SocketSession>();
  private readonly counts = new Map<string, number>();
  private readonly limits: SocketLimits;
  private readonly handshakes: WebSocketServer;
  private isStopped = false;

  /** @param server whose requests they were */
  constructor(
    private readonly server: Server,
    private readonly parts: SocketParts,
    private readonly engine: () => Promise<Engine>,
  ) {
    this.limits = parts.limits ?? SOCKET_LIMITS;
    this.handshakes = new WebSocketServer({
      noServer: true,
      clientTracking: false,
      perMessageDeflate: false,
      maxPayload: this.limits.messageBytes,
      handleProtocols: (offered) => (offered.has(PROTOCOL) ? PROTOCOL : false),
    });
    // A handshake that is none is answered as the request without it.
    this.handshakes.on('wsClientError', (_, socket, request) => passOver(server, request, socket, Buffer.alloc(0)));
    // Not before it is forgotten what is known of tokens, which whoever listens first sees to.
    parts.revocations.onChange(() => setImmediate(() => this.lookAgain()));
  }

  /** How many are open. */
  get size(): number {
    return this.sessions.size;
  }

  /** How many things are followed over all of them. */
  get subscriptions(): number {
    let all = 0;
    for (const { size } of this.sessions) all += size;
    return all;
  }

  /** What Node hands over where a request asks for an upgrade of any kind. */
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    if (this.isStopped) return void socket.destroy();
    if (!asksForSocket(request)) return passOver(this.server, request, socket, head);
    let given: () => void;
    try {
      given = this.takePlace(request);
    } catch (error) {
      return this.parts.refuse(socket, failureOf(error).error);
    }
    this.handshakes.handleUpgrade(request, socket, head, (opened) => this.begin(opened, request, given));
  }

  /** Ends every socket, and takes no more. */
  async stop(): Promise<void> {
    this.isStopped = true;
    await Promise.all([...this.sessions].map((session) => session.refuse(STOPPING, 'stopping')));
  }

  /** @param given is called once somebody was let in */
  private begin(socket: WebSocket, request: IncomingMessage, given: () => void): void {
    let principal: string | undefined;
    const session = new SocketSession(socket, {
      limits: this.limits,
      engine: this.engine,
      isPersonal: this.parts.isPersonal,
      closingOf: (error) => this.closingOf(error, principal, request),
      admit: async (authorization) => {
        const { id, admitted } = await this.admit(request, authorization);
        given();
        if (socket.readyState === socket.OPEN) this.take((principal = id));
        return admitted;
      },
    });
    this.sessions.add(session);
    socket.on('close', () => {
      this.sessions.delete(session);
      if (principal !== undefined) this.give(principal);
    });
    if (socket.protocol !== PROTOCOL) session.close('subprotocol');
    else if (this.isStopped) session.close('stopping');
    else if (this.sessions.size > this.limits.inAll) this.makeRoom(session);
  }

  private lookAgain(): void {
    for (const session of this.sessions) void session.lookAgain();
  }

  /** Ends the oldest socket over which nobody was let in yet, or the new one where there is none. */
  private makeRoom(added: SocketSession): void {
    for (const session of this.sessions) {
      if (session === added || !session.dropStranger()) continue;
      return void this.sessions.delete(session);
    }
    added.close('later');
  }

  /**
   * Whoever asks for a socket says who they are by its first message at the latest. A known token costs its principal;
   * without one the socket counts for the address, and costs it nothing once somebody was let in.
   * @returns what is called then
   * @throws RateLimitedError
   */
  private takePlace(request: IncomingMessage): () => void {
    const { rateLimits, proxies, authenticator } = this.parts;
    if (!rateLimits) return () => undefined;
    const now = Date.now();
    const { authorization } = request.headers;
    const token = authorization === undefined ? undefined : tokenIn(authorization);
    const principal = token === undefined ? undefined : authenticator.seen(token, now);
    const address = clientOf(request, proxies);
    if (principal) rateLimits.takeOfPrincipal(principal.id, now);
    else if (token === undefined) {
      rateLimits.takeOfUpgrades(address, now);
      return () => rateLimits.giveToUpgrades(address);
    } else {
      rateLimits.takeOfUnproven(address, now);
      return () => rateLimits.giveToUnproven(address);
    }
    return () => undefined;
  }

  private async admit(
    request: IncomingMessage,
    authorization: string | undefined,
  ): Promise<{ readonly id: string; readonly admitted: Admitted }> {
    const { parts } = this;
    refuseRepeatedHeaders({ headers: request.headers, raw: request });
    const token = tokenOf(request.headers.authorization, authorization);
    const address = clientOf(request, parts.proxies);
    const { id } = await this.asking(token, address);
    return {
      id,
      admitted: {
        request: async () => outerOf(await this.asking(token, address), token),
        refusal: (access) => refusalOf(parts.authenticator, token, access),
        denied: (refusals: readonly Denied[]) => {
          for (const { access, reason } of refusals) parts.denials.count(id, access, reason);
        },
      },
    };
  }

  /** As the gate does for a request. @throws MaceError, RateLimitedError */
  private async asking(token: string, address: string): Promise<Principal> {
    const { authenticator, rateLimits, denials } = this.parts;
    const now = Date.now();
    const look = (): Promise<Principal> => authenticator.authenticate(token, now);
    const principal = authenticator.seen(token, now) ?? (await (rateLimits?.prove(address, now, look) ?? look()));
    rateLimits?.takeOfPrincipal(principal.id, now);
    try {
      authorize(principal, ACCESS);
    } catch (error) {
      denials.count(principal.id, ACCESS, failureOf(error).error.code);
      throw error;
    }
    return principal;
  }

  private closingOf(error: unknown, principal: string | undefined, request: IncomingMessage): Closing {
    const { listener, refusals, proxies } = this.parts;
    const { error: found, fault } = failureOf(error);
    if (fault) listener.fault(error, NO_TRACE, found.code);
    const who = principal === undefined ? { address: clientOf(request, proxies) } : { principal };
    refusals.count({ code: found.code, who, route: `GET ${PATH}`, traceId: NO_TRACE });
    return CLOSINGS[found.code] ?? 'fault';
  }

  /** @throws RateLimitedError */
  private take(principal: string): void {
    const { ofPrincipal } = this.limits;
    const own = (this.counts.get(principal) ?? 0) + 1;
    this.counts.set(principal, own);
    if (own > ofPrincipal) throw new RateLimitedError(`at most ${ofPrincipal} sockets of a principal`, RETRY_MS);
  }

  private give(principal: string): void {
    const left = (this.counts.get(principal) ?? 0) - 1;
    if (left > 0) this.counts.set(principal, left);
    else this.counts.delete(principal);
  }
}

const CLOSINGS: Readonly<Record<string, Closing>> = {
  UNAUTHENTICATED: 'unauthenticated',
  PERMISSION_DENIED: 'forbidden',
  INVALID_INPUT: 'malformed',
  RATE_LIMITED: 'later',
  DATA_UNAVAILABLE: 'later',
} satisfies Readonly<Record<string, keyof typeof CLOSING>>;

/**
 * The token of the upgrade's header or of connection_init; of both where they are the same.
 * @throws MaceError UNAUTHENTICATED, INVALID_INPUT
 */
function tokenOf(header: string | undefined, payload: string | undefined): string {
  const given = [header, payload].filter((one) => one !== undefined);
  const tokens = given.map(tokenIn);
  const [token] = tokens;
  if (token === undefined || tokens.includes(undefined))
    throw new MaceError('UNAUTHENTICATED', 'connection_init: {"authorization": "Bearer " and a token}');
  if (new Set(tokens).size > 1)
    throw new MaceError('INVALID_INPUT', 'connection_init: the token of the upgrade, or none');
  return token;
}

function outerOf(principal: Principal, token: string): Outer {
  return {
    method: 'GET',
    url: PATH,
    headers: {},
    mace: {
      route: { url: PATH, access: ACCESS },
      givenTraceId: undefined,
      hasPersonalTraceId: false,
      now: Date.now(),
      principal,
      token,
      bodyText: undefined,
      context: undefined,
      denied: undefined,
    },
  };
}
