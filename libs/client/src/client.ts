import { Calls } from './calls.js';
import type { ClientOptions, MaceClient } from './interface.js';
import { TrustedServer } from './trusted-server.js';

/**
 * Calls of the REST interface, each with the types of its operation (docs/rest.md).
 * @throws TypeError where `server` is neither an address of HTTP nor a transport: an environment that lacks MACE_URL
 */
export function createClient(options: ClientOptions): MaceClient {
  if (typeof options.server !== 'function' && !isAddress(options.server))
    throw new TypeError('server: an address such as http://127.0.0.1:3000, or a transport');
  return new Calls(options, options.verify && new TrustedServer(options.verify));
}

/** Callers in JavaScript give what no compiler has seen. */
function isAddress(server: unknown): boolean {
  return typeof server === 'string' && URL.canParse(server) && /^https?:$/.test(new URL(server).protocol);
}
