import { lookup } from 'node:dns';
import {
  Agent as HttpSockets,
  type IncomingHttpHeaders,
  type IncomingMessage,
  request as httpRequest,
  type RequestOptions,
} from 'node:http';
import { Agent as HttpsSockets, request as httpsRequest } from 'node:https';
import type { LookupFunction } from 'node:net';

import type { AgentHosts } from './agent-hosts.js';

/** More than an answer of 16,000 characters with its evidence takes; what is larger is not read on. */
export const MAX_ANSWER_BYTES = 256 * 1024;
const AT_ONCE = 2_048;
/** Once half of these are taken, no module has more than this, so that those that hang leave places to the others. */
const SHARE = 8;
/** Connections to one host that wait for the next call, and how long. */
const IDLE_SOCKETS = 4;
const IDLE_MS = 4_000;

/** Why a call came to no answer; of what the other side said nothing. */
export type CallFault =
  | 'host not listed'
  | 'address not allowed'
  | 'not reached'
  | 'certificate'
  | 'broken off'
  | 'encoded'
  | 'too large'
  | 'called off'
  | 'busy'
  | 'holds the secret';

export interface Called {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly bytes: Buffer;
}

/** A call that came to no answer. */
export class CallError extends Error {
  constructor(readonly fault: CallFault) {
    super(`the endpoint: ${fault}`);
    this.name = 'CallError';
  }
}

interface Outgoing {
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  /** A POST of it; a GET where absent. */
  readonly body?: Buffer;
  readonly signal: AbortSignal;
  /** Whose call it is, where it has a share. */
  readonly of?: object;
}

/**
 * Calls endpoints of other people: one request each, to listed hosts and addresses alone, without redirects, proxies of the
 * environment or encodings, and with an answer of bounded size.
 */
export class EndpointCaller {
  private readonly http: HttpSockets;
  private readonly https: HttpsSockets;
  private isClosed = false;
  private inFlight = 0;
  private readonly inFlightOf = new WeakMap<object, number>();

  /**
   * @param resolve what names lead to
   * @param ca authorities to trust in place of those that Node trusts
   * @param atOnce calls in flight of all endpoints
   */
  constructor(
    private readonly hosts: AgentHosts,
    private readonly resolve: typeof lookup = lookup,
    ca?: Buffer,
    private readonly atOnce = AT_ONCE,
  ) {
    const options = {
      keepAlive: true,
      maxFreeSockets: IDLE_SOCKETS,
      timeout: IDLE_MS,
      lookup: this.lookup,
    };
    this.http = new HttpSockets(options);
    this.https = new HttpsSockets({ ...options, ...(ca && { ca }) });
  }

  /** @throws CallError */
  call(outgoing: Outgoing): Promise<Called> {
    const { url, signal, of = outgoing } = outgoing;
    if (!this.hosts.lists(url)) return Promise.reject(new CallError('host not listed'));
    if (signal.aborted || this.isClosed) return Promise.reject(new CallError('called off'));
    const most = this.countOf(of) < SHARE ? this.atOnce : this.atOnce / 2;
    if (this.inFlight >= most) return Promise.reject(new CallError('busy'));
    this.count(of, 1);
    // What has no connection yet hears of no signal: whoever waits is told all the same.
    let givenUp = (): void => undefined;
    return new Promise<Called>((done, failed) => {
      givenUp = () => failed(new CallError('called off'));
      signal.addEventListener('abort', givenUp);
      this.send(outgoing, done, failed);
    }).finally(() => {
      signal.removeEventListener('abort', givenUp);
      this.count(of, -1);
    });
  }

  private countOf(one: object): number {
    return this.inFlightOf.get(one) ?? 0;
  }

  private count(one: object, more: 1 | -1): void {
    this.inFlight += more;
    this.inFlightOf.set(one, this.countOf(one) + more);
  }

  close(): void {
    this.isClosed = true;
    this.http.destroy();
    this.https.destroy();
  }

  private send(
    { url, headers, body, signal }: Outgoing,
    done: (called: Called) => void,
    failed: (error: CallError) => void,
  ): void {
    const isTls = url.protocol === 'https:';
    const length = body === undefined ? {} : { 'content-length': body.length };
    const options: RequestOptions = {
      method: body === undefined ? 'GET' : 'POST',
      agent: isTls ? this.https : this.http,
      headers: { ...headers, 'accept-encoding': 'identity', ...length },
      signal,
    };
    const request = (isTls ? httpsRequest : httpRequest)(url, options);
    const broken = (fault: CallFault): void => failed(new CallError(signal.aborted ? 'called off' : fault));
    const onClose = (): void => broken('broken off');
    request.on('error', (error) => broken(faultOf(error)));
    request.on('close', onClose);
    // Without this listener Node closes the connection, and tells nobody.
    request.on('upgrade', ({ statusCode: status = 0, headers }, socket) => {
      socket.destroy();
      done({ status, headers, bytes: Buffer.alloc(0) });
    });
    request.on('response', (response) => {
      // From here on whoever reads the answer tells of its end.
      request.off('close', onClose);
      read(response)
        .then((bytes) => done({ status: response.statusCode ?? 0, headers: response.headers, bytes }))
        .catch((error: unknown) => {
          // What goes on is of no use, and the connection cannot be used for another call.
          request.destroy();
          broken(error instanceof CallError ? error.fault : 'broken off');
        });
    });
    request.end(body);
  }

  /** Resolves a name once for a connection, and takes of what it leads to only what may be reached. */
  private readonly lookup: LookupFunction = (hostname, options, found) => {
    this.resolve(hostname, { ...options, all: true }, (error, addresses) => {
      if (error) return found(error, '', 0);
      const taken = addresses.filter(({ address }) => this.hosts.takes(address));
      const [first] = taken;
      if (!first) return found(new AddressError(), '', 0);
      return options.all ? found(null, taken) : found(null, first.address, first.family);
    });
  };
}

class AddressError extends Error {}

async function read(response: IncomingMessage): Promise<Buffer> {
  const { 'content-encoding': encoding = 'identity', 'content-length': length } = response.headers;
  if (encoding !== 'identity') throw new CallError('encoded');
  if (Number(length) > MAX_ANSWER_BYTES) throw new CallError('too large');
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > MAX_ANSWER_BYTES) throw new CallError('too large');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks, size);
}

/** As OpenSSL and Node name what is wrong with a certificate. */
const OF_CERTIFICATE =
  /^(?:CERT_|ERR_TLS_CERT_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_(?:GET|VERIFY|DECODE|DECRYPT)_|HOSTNAME_MISMATCH)/;
const BROKEN_OFF = new Set(['ECONNRESET', 'EPIPE']);

function faultOf(error: NodeJS.ErrnoException): CallFault {
  if (error instanceof AddressError) return 'address not allowed';
  const { code = '' } = error;
  if (OF_CERTIFICATE.test(code)) return 'certificate';
  return BROKEN_OFF.has(code) || code.startsWith('HPE_') ? 'broken off' : 'not reached';
}
