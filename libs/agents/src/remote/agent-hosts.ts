import { BlockList, isIP } from 'node:net';

import { NOT_PUBLIC_V4 } from '#lib/kernel';

/** Where agents of other people may be called: hosts by name, and addresses that are not public only where listed. */

/** Not to be reached from elsewhere: of this machine, of private networks, of tests (RFC 6890 and its successors). */
const NOT_PUBLIC = new BlockList();
for (const [network, prefix] of NOT_PUBLIC_V4) NOT_PUBLIC.addSubnet(network, prefix, 'ipv4');
for (const [network, prefix] of [
  // Of this machine, and IPv4 addresses in its old form.
  ['::', 96],
  ['64:ff9b::', 96],
  ['64:ff9b:1::', 48],
  ['100::', 64],
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['3fff::', 20],
  ['fc00::', 7],
  ['::ffff:0:0:0', 96],
  ['5f00::', 16],
  ['fe80::', 10],
  ['fec0::', 10],
  ['ff00::', 8],
] as const)
  NOT_PUBLIC.addSubnet(network, prefix, 'ipv6');

/** A host by name or an address, each with an optional port, or a network of addresses. */
export type HostEntry = string;

const WITH_PORT = /^([^:]+|\[.+\]):(\d+)$/;

/** What MACE_AGENT_HOSTS lists. */
export class AgentHosts {
  /** Names, and names and addresses with a port. */
  private readonly names = new Set<string>();
  private readonly addresses = new BlockList();

  /** @param entries in the form of the setting */
  constructor(entries: readonly HostEntry[]) {
    for (const entry of entries) this.add(entry.toLowerCase());
  }

  /** Whether an endpoint's host is listed; of a name nothing is asked. */
  lists({ hostname, port, protocol }: Pick<URL, 'hostname' | 'port' | 'protocol'>): boolean {
    // A URL leaves out the usual port of its scheme.
    if (this.names.has(`${hostname}:${port || (protocol === 'https:' ? 443 : 80)}`)) return true;
    const name = unbracketed(hostname);
    return isIP(name) === 0 ? this.names.has(name) : this.listsAddress(name);
  }

  /** Whether a connection may go to an address that the name of a listed host led to. */
  takes(address: string): boolean {
    const family = isIP(address);
    if (family === 0) return false;
    return !NOT_PUBLIC.check(address, family === 4 ? 'ipv4' : 'ipv6') || this.listsAddress(address);
  }

  private listsAddress(address: string): boolean {
    return this.addresses.check(address, isIP(address) === 4 ? 'ipv4' : 'ipv6');
  }

  private add(entry: string): void {
    if (entry === 'localhost') {
      this.addresses.addSubnet('127.0.0.0', 8, 'ipv4');
      this.addresses.addAddress('::1', 'ipv6');
    }
    const [, host, port] = WITH_PORT.exec(entry) ?? [];
    if (host !== undefined) {
      this.names.add(`${new URL(`http://${host}`).hostname}:${Number(port)}`);
      return;
    }
    const [address = '', prefix] = entry.split('/');
    const plain = unbracketed(address);
    const family = isIP(plain);
    if (family === 0) this.names.add(entry);
    else this.addresses.addSubnet(plain, Number(prefix ?? (family === 4 ? 32 : 128)), family === 4 ? 'ipv4' : 'ipv6');
  }
}

function unbracketed(host: string): string {
  return host.startsWith('[') && host.endsWith(']') ? host.slice(1, -1) : host;
}
