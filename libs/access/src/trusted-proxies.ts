import { BlockList, isIP } from 'node:net';

/** Where no proxy is trusted, everybody is who they connect as. */
const NONE = 'off';

/** Raised for what names no address and no network. */
export class ProxyAddressError extends Error {
  constructor() {
    super('off, or addresses and networks with commas between them such as 10.0.0.0/8,::1');
    this.name = 'ProxyAddressError';
  }
}

/**
 * The proxies whose X-Forwarded-For is believed: it says by whom each hop was called, the last hop last, and whoever is
 * no proxy of ours can write whatever they like into it.
 */
export class TrustedProxies {
  private constructor(private readonly list: BlockList | undefined) {}

  /** @param text as MACE_TRUST_PROXY has it @throws ProxyAddressError */
  static of(text: string): TrustedProxies {
    if (text === NONE) return new TrustedProxies(undefined);
    const list = new BlockList();
    for (const one of text.split(',')) {
      const [address = '', prefix, ...more] = one.trim().split('/');
      const version = isIP(address);
      const bits = version === 6 ? 128 : 32;
      const length = prefix === undefined ? bits : /^[0-9]{1,3}$/.test(prefix) ? Number(prefix) : NaN;
      if (version === 0 || more.length > 0 || !(length <= bits)) throw new ProxyAddressError();
      list.addSubnet(address, length, version === 6 ? 'ipv6' : 'ipv4');
    }
    return new TrustedProxies(list);
  }

  /** Whether an address is one of theirs. */
  trusts(address: string): boolean {
    if (this.list === undefined) return false;
    const plain = plainOf(address);
    const version = isIP(plain);
    return version !== 0 && this.list.check(plain, version === 6 ? 'ipv6' : 'ipv4');
  }

  /**
   * Whose request it is: the last hop that is no proxy of ours.
   * @param peer the address that is connected
   * @param forwardedFor the value of X-Forwarded-For, of several such headers with commas between them
   */
  clientOf(peer: string, forwardedFor: string | undefined): string {
    let client = plainOf(peer);
    if (forwardedFor === undefined || !this.trusts(client)) return client;
    for (const hop of forwardedFor.split(',').reverse()) {
      const address = addressIn(hop.trim());
      if (address === undefined) return client;
      client = address;
      if (!this.trusts(client)) return client;
    }
    return client;
  }
}

/** Some proxies add the port. */
function addressIn(hop: string): string | undefined {
  const bare = /^\[(.*)\](?::[0-9]+)?$/.exec(hop)?.[1] ?? (/^[0-9.]+:[0-9]+$/.test(hop) ? hop.split(':')[0]! : hop);
  const plain = plainOf(bare);
  return isIP(plain) === 0 ? undefined : plain;
}

/** An IPv4 address written as IPv6 is that IPv4 address. */
function plainOf(address: string): string {
  return address.startsWith('::ffff:') && address.includes('.') ? address.slice('::ffff:'.length) : address;
}
