import type { IncomingMessage } from 'node:http';

import type { TrustedProxies } from '#lib/access';

/** The address whose request it is. */
export function clientOf({ socket, headers }: IncomingMessage, proxies: TrustedProxies): string {
  // Node joins several of these headers by itself.
  return proxies.clientOf(socket.remoteAddress ?? '', headers['x-forwarded-for'] as string | undefined);
}
