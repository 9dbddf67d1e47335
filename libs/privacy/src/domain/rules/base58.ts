import { sha256Bytes } from '#lib/kernel';

const ALPHABET = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';
const VALUE = new Map([...ALPHABET].map((sign, value) => [sign, value] as const));
const PAYLOAD = 21;
const CHECK = 4;

/** The version byte of an address in Base58Check: 25 bytes, the last four the beginning of a double SHA-256 of the others. Undefined for what is none. */
export function base58Version(address: string): number | undefined {
  const bytes = decode(address, PAYLOAD + CHECK);
  if (!bytes) return undefined;
  const check = sha256Bytes(sha256Bytes(bytes.subarray(0, PAYLOAD))).subarray(0, CHECK);
  return check.equals(bytes.subarray(PAYLOAD)) ? bytes[0] : undefined;
}

/** A number of base 58 as exactly `size` bytes; each leading 1 is a leading zero byte, and there are no others. */
function decode(text: string, size: number): Buffer | undefined {
  const bytes = Buffer.alloc(size);
  for (const sign of text) {
    let carry = VALUE.get(sign);
    if (carry === undefined) return undefined;
    for (let at = size - 1; at >= 0; at--) {
      carry += 58 * (bytes[at] ?? 0);
      bytes[at] = carry & 0xff;
      carry >>= 8;
    }
    if (carry > 0) return undefined;
  }
  const ones = text.length - text.replace(/^1+/, '').length;
  const zeros = bytes.findIndex((byte) => byte !== 0);
  return ones === zeros ? bytes : undefined;
}
