import type { AddressInfo } from 'node:net';

import type { CookiePlace } from '../edge/session-cookie.js';
import type { Config } from '../platform.config.js';

/** Where a browser finds this server: by MACE_PUBLIC_URL, or where requests come in. */
export function placeOf({ publicUrl }: Pick<Config, 'publicUrl'>): CookiePlace {
  return { path: publicUrl?.pathname ?? '/', isSecure: publicUrl?.protocol === 'https:' };
}

/** The address to type there, with a slash at its end. @param bound what the server listens on, null where it does not yet */
export function publicUrlOf(config: Pick<Config, 'publicUrl' | 'host' | 'port'>, bound: AddressInfo | null): string {
  if (config.publicUrl) return config.publicUrl.href;
  const { address, port } = bound ?? { address: config.host, port: config.port };
  // What listens on every address is reached by this one from here.
  const host = /^(?:0\.0\.0\.0|::)$/.test(address) ? '127.0.0.1' : address.includes(':') ? `[${address}]` : address;
  return `http://${host}:${port}/`;
}

/** The address by which a browser signs in. What stands after the # goes to no server, and into no log of one. */
export function linkWith(code: string, server: string): string {
  return `${server}console#link=${code}`;
}
