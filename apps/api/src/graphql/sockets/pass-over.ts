import type { IncomingMessage, Server } from 'node:http';
import type { Duplex } from 'node:stream';

/** Of the one hop that an upgrade is asked on. */
const OF_UPGRADE = new Set(['upgrade', 'http2-settings']);

/** Whether a request asks for a socket of GraphQL. */
export function asksForSocket({ method, url = '', headers: { upgrade } }: IncomingMessage): boolean {
  return method === 'GET' && upgrade?.trim().toLowerCase() === 'websocket' && /^\/graphql(?:\?|$)/.test(url);
}

/**
 * Answers a request as if it had asked for no upgrade (RFC 9110, 7.8). Node hands over whatever asks for one, h2c too,
 * once somebody listens, and has read nothing of the body by then: the request goes in again, from its first line.
 * @param head what was read beyond the request's headers
 */
export function passOver(server: Server, request: IncomingMessage, socket: Duplex, head: Buffer): void {
  const { method, url, httpVersion, rawHeaders } = request;
  let text = `${method} ${url} HTTP/${httpVersion}\r\n`;
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i]!.toLowerCase();
    const value = name === 'connection' ? withoutUpgrade(rawHeaders[i + 1]!) : rawHeaders[i + 1]!;
    if (!OF_UPGRADE.has(name) && value !== '') text += `${rawHeaders[i]}: ${value}\r\n`;
  }
  socket.unshift(Buffer.concat([Buffer.from(`${text}\r\n`, 'latin1'), head]));
  server.emit('connection', socket);
}

function withoutUpgrade(connection: string): string {
  return connection
    .split(',')
    .map((option) => option.trim())
    .filter((option) => !OF_UPGRADE.has(option.toLowerCase()))
    .join(', ');
}
