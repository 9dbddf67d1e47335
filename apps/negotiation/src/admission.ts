import { constants, type ServerHttp2Stream } from 'node:http2';

import {
  type Metadata,
  type ServerInterceptingCallInterface,
  ServerInterceptingCall,
  type ServerInterceptor,
  status,
} from '@grpc/grpc-js';

import {
  type Authenticator,
  networkOf,
  type Principal,
  type RateLimits,
  type Refusee,
  type TrustedProxies,
} from '#lib/access';
import { MaceError, RateLimitedError } from '#lib/kernel';

import { BytesInHand } from './bytes-in-hand.js';
import type { GrpcConnections } from './connections.js';
import type { GrpcLimits } from './limits.js';
import { MessagePrefixes } from './message-prefixes.js';
import { type Refusals, refusalOf } from './refusals.js';

/** Who calls. */
export interface KnownCaller extends Principal {
  /** The id as its token names it. */
  readonly rawId: string;
}

export interface AdmissionParts extends Refusals {
  readonly authenticator: Authenticator;
  /** Absent where there is no limit. */
  readonly rateLimits: RateLimits | undefined;
  readonly proxies: TrustedProxies;
}

/** Called without a token, as SW4-001 has it. Every other service asks for one. */
const OPEN = /^\/grpc\.(?:health|reflection)\./;
/** Who watches over the process must get an answer, however many others ask. */
const UNLIMITED = /^\/grpc\.health\./;
/** Answered at once, so that it needs no room that calls which last may have taken. */
const CHECK = /^\/grpc\.health\.[^/]*\/Check$/;
const BEARER = /^bearer ([A-Za-z0-9._~+/=-]{1,4096})$/i;
/** What a byte of deflate can become at most. */
const INFLATION = 1032;

/** When a call that sent too much may be tried again, ms. */
const RETRY_MS = 1_000;
/** Of a call without a token; a question to reflection is one, and who browses asks a few. */
const OPEN_MESSAGES = 64;

/** A call that has come. */
interface Incoming {
  /** `/package.Service/Method`, of those that are served. */
  readonly path: string;
  readonly wire: ServerInterceptingCallInterface;
  readonly stream: ServerHttp2Stream;
  /** By `performance.now`. */
  readonly begun: number;
  /** Who calls, as far as that is known by now. */
  who: Refusee;
}

/**
 * Stands before every call: its token is looked at before a byte of its message is read, and what it holds is counted
 * until it is over.
 */
export class Admission {
  /** By the metadata of the call, which the library hands on as it is. */
  private readonly callers = new WeakMap<Metadata, KnownCaller>();
  private readonly known: BytesInHand;
  private readonly unverified: BytesInHand;
  private readonly open: BytesInHand;
  private readonly checks: BytesInHand;

  constructor(
    private readonly parts: AdmissionParts,
    private readonly limits: GrpcLimits,
    private readonly connections: GrpcConnections,
  ) {
    this.known = new BytesInHand(limits.known, 'calls and their messages');
    this.unverified = new BytesInHand(limits.unverified, 'calls whose token is being looked at');
    this.open = new BytesInHand(limits.open, 'calls without a token');
    this.checks = new BytesInHand(limits.checks, 'health checks');
  }

  readonly interceptor: ServerInterceptor = ({ path }, wire) => {
    let messageEnd: NodeJS.Timeout | undefined;
    return new ServerInterceptingCall(wire, {
      start: (next) =>
        next({
          onReceiveMetadata: (metadata, proceed) => {
            const stream = streamOf(wire);
            if (stream === undefined) return wire.sendStatus({ code: status.INTERNAL, details: 'no stream' });
            const address = this.parts.proxies.clientOf(addressOf(wire.getPeer()), forwardedFor(metadata));
            const call: Incoming = { path, wire, stream, begun: performance.now(), who: { address } };
            const late = new MaceError('WAIT_TIMEOUT', `a message within ${this.limits.messageMs / 1000} s`);
            messageEnd = setTimeout(() => this.refuse(call, late), this.limits.messageMs).unref();
            stream.once('close', () => clearTimeout(messageEnd));
            void this.admit(call, metadata, address).then(
              () => proceed(metadata),
              (thrown: unknown) => this.refuse(call, thrown),
            );
          },
          onReceiveHalfClose: (proceed) => {
            clearTimeout(messageEnd);
            proceed();
          },
        }),
    });
  };

  /** Who was let in. @throws MaceError UNAUTHENTICATED for a call that nobody let in */
  callerOf(metadata: Metadata): KnownCaller {
    const caller = this.callers.get(metadata);
    if (caller === undefined) throw unauthenticated();
    return caller;
  }

  /** Lets a call in, and counts what it holds. @throws what it is refused with */
  private async admit(call: Incoming, metadata: Metadata, address: string): Promise<void> {
    const peer = call.wire.getPeer();
    this.connections.called(peer);
    if (OPEN.test(call.path)) {
      if (!UNLIMITED.test(call.path)) this.parts.rateLimits?.takeOfAddress(address, Date.now());
      const share = CHECK.test(call.path) ? this.checks : this.open;
      return this.hold(call, share, networkOf(address), this.limits.openMessageBytes, OPEN_MESSAGES);
    }
    const caller = await this.callerBy(call, metadata, address);
    this.connections.known(peer, caller.id);
    this.callers.set(metadata, caller);
    this.hold(call, this.known, caller.id, Infinity);
  }

  /** @throws MaceError UNAUTHENTICATED; RateLimitedError */
  private async callerBy(call: Incoming, metadata: Metadata, address: string): Promise<KnownCaller> {
    const { authenticator, rateLimits } = this.parts;
    const now = Date.now();
    const given = metadata.get('authorization');
    const token = given.length === 1 ? BEARER.exec(String(given[0]))?.[1] : undefined;
    try {
      if (token === undefined) throw unauthenticated();
      const principal = authenticator.seen(token, now) ?? (await this.proved(token, address, now));
      call.who = { principal: principal.id };
      const { userId } = await authenticator.claimsOf(token, now);
      rateLimits?.takeOfPrincipal(principal.id, now);
      return { ...principal, rawId: userId };
    } catch (error) {
      // Who shows no token that is taken counts by address, as over HTTP.
      if (error instanceof MaceError && error.code === 'UNAUTHENTICATED') rateLimits?.takeOfAddress(address, now);
      throw error;
    }
  }

  private proved(token: string, address: string, now: number): Promise<Principal> {
    const look = (): Promise<Principal> => this.verified(token, address, now);
    return this.parts.rateLimits?.prove(address, now, look) ?? look();
  }

  private async verified(token: string, address: string, now: number): Promise<Principal> {
    const held = this.limits.callBytes + this.limits.windowBytes;
    const network = networkOf(address);
    this.unverified.take(network, held);
    try {
      return await this.parts.authenticator.authenticate(token, now);
    } finally {
      this.unverified.give(network, held);
    }
  }

  /**
   * Counts what a call holds until it is over: itself, the bytes of its messages as they come, and those that they unpack
   * to before they are unpacked.
   * @param messageBytes of all its messages at most
   * @param messages at most so many, which may be empty: each costs an answer
   * @throws RateLimitedError
   */
  private hold(call: Incoming, share: BytesInHand, who: string, messageBytes: number, messages = Infinity): void {
    const { stream } = call;
    let came = 0;
    // Whoever has gone holds nothing, and never goes again.
    if (stream.destroyed) return;
    let held = 0;
    const take = (bytes: number): void => {
      if (held + bytes > messageBytes + this.limits.callBytes)
        throw new RateLimitedError(
          `messages of this call: at most ${messageBytes} bytes, and not compressed`,
          RETRY_MS,
        );
      share.take(who, bytes);
      held += bytes;
    };
    take(this.limits.callBytes);
    stream.once('close', () => share.give(who, held));
    const prefixes = new MessagePrefixes();
    // Before the library, which takes no more of a call that is refused.
    stream.prependListener('data', (chunk: Buffer) => {
      if (stream.closed) return;
      try {
        take(chunk.length);
        for (const { isCompressed, bytes } of prefixes.in(chunk)) {
          if (++came > messages) throw new RateLimitedError(`at most ${messages} messages of this call`, RETRY_MS);
          if (isCompressed) take(Math.min(bytes * INFLATION, this.limits.messageBytes));
        }
      } catch (error) {
        this.refuse(call, error);
      }
    });
  }

  private refuse({ path, wire, stream, begun, who }: Incoming, thrown: unknown): void {
    if (stream.closed) return;
    const [, service = '', method = ''] = path.split('/');
    const refusal = refusalOf(this.parts, thrown, { who, service, method, trace: '-' });
    wire.sendStatus(refusal);
    // What is left of its message is not wanted.
    stream.close(constants.NGHTTP2_NO_ERROR);
    if (OPEN.test(path)) return;
    const seconds = (performance.now() - begun) / 1000;
    this.parts.onCall({ service, method, status: status[refusal.code], seconds });
  }
}

/**
 * The HTTP/2 stream of a call: nothing else says when it is over, or how many bytes of a message have come. The library
 * keeps it to itself, so that another version may have none; then no call is let in.
 */
function streamOf(wire: ServerInterceptingCallInterface): ServerHttp2Stream | undefined {
  return (wire as unknown as { readonly stream?: ServerHttp2Stream }).stream;
}

/** `127.0.0.1:4711` or `::1:4711` without the port. */
function addressOf(peer: string): string {
  return peer.replace(/:[0-9]+$/, '');
}

function forwardedFor(metadata: Metadata): string | undefined {
  const given = metadata.get('x-forwarded-for');
  return given.length === 0 ? undefined : given.join(',');
}

function unauthenticated(): MaceError {
  return new MaceError('UNAUTHENTICATED', 'metadata authorization: once, the word Bearer, a space and a token');
}
