import { NOT_PUBLIC_V4 } from '#lib/kernel';

const NETWORKS = NOT_PUBLIC_V4.map(([network, bits]) => [numberOfV4(network) >>> (32 - bits), bits] as const);

/** Whether four numbers between dots are the address of somebody's device: 0 to 255 each, in decimal also where zeros lead. */
export function isPublicV4(address: string): boolean {
  const octets = address.split('.');
  if (octets.length !== 4 || !octets.every((octet) => /^\d{1,3}$/.test(octet) && Number(octet) <= 255)) return false;
  const number = numberOfV4(address);
  return !NETWORKS.some(([network, bits]) => number >>> (32 - bits) === network);
}

function numberOfV4(address: string): number {
  return address.split('.').reduce((number, octet) => ((number << 8) | Number(octet)) >>> 0, 0);
}

/** Whether a text is an IPv6 address of the global range 2000::/3 that is not for documents (2001:db8::/32, 3fff::/20). */
export function isPublicV6(address: string): boolean {
  const groups = groupsOfV6(address);
  if (!groups) return false;
  const [first = 0, second = 0] = groups;
  const isForDocuments = (first === 0x2001 && second === 0xdb8) || (first === 0x3fff && second < 0x1000);
  return first >>> 13 === 1 && !isForDocuments;
}

/** The eight groups of an address (RFC 4291, 2.2), or undefined where it is none. */
function groupsOfV6(address: string): readonly number[] | undefined {
  const halves = address.split('::');
  if (halves.length > 2) return undefined;
  const [front = [], back = []] = halves.map((half) => (half === '' ? [] : half.split(':')));
  const written = [...front, ...back];
  const missing = 8 - written.length;
  if (halves.length === 2 ? missing < 1 : missing !== 0) return undefined;
  if (!written.every((group) => /^[0-9a-f]{1,4}$/i.test(group))) return undefined;
  return [...front, ...Array<string>(missing).fill('0'), ...back].map((group) => parseInt(group, 16));
}
