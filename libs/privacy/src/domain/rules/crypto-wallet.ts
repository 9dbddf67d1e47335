import { base58Version } from './base58.js';
import { isSegwitAddress } from './bech32.js';
import { keccak256 } from './keccak.js';
import { letteredRule } from './lettered.js';

/** First version bytes of Bitcoin (1, 3), Litecoin (L, M), Dogecoin (D, A, 9) and Tron (T). */
const VERSIONS = new Set([0x00, 0x05, 0x30, 0x32, 0x1e, 0x16, 0x41]);

const BASE58 = /(?<![A-Za-z0-9])[139ADLMT][1-9A-HJ-NP-Za-km-z]{24,34}(?![A-Za-z0-9])/g;
const SEGWIT = /(?<![A-Za-z0-9])(?:bc|ltc)1[02-9ac-hj-np-z]{8,87}(?![A-Za-z0-9])/gi;
const ETHEREUM = /(?<![A-Za-z0-9])0x[0-9a-f]{40}(?![A-Za-z0-9])/gi;

/** Contracts of the system and places where coins are burned. */
const NOBODYS = /^(?:0{36}|([0-9a-f])\1{39}$)/i;

/** EIP-55: a letter is a capital where the hash of the address in small letters has 8 or more; without capitals nothing is asked. */
export function isEthereumAddress(hex: string): boolean {
  const small = hex.toLowerCase();
  if (NOBODYS.test(hex)) return false;
  if (hex === small || hex === hex.toUpperCase()) return true;
  const hash = Buffer.from(keccak256(Buffer.from(small))).toString('hex');
  return [...hex].every((sign, at) => !/[a-f]/i.test(sign) || /[A-F]/.test(sign) === parseInt(hash.charAt(at), 16) > 7);
}

/** The checksums are strong, so always. */
export const CRYPTO_WALLET_RULES = [
  letteredRule('crypto_wallet', 'base58', BASE58, (written) => VERSIONS.has(base58Version(written) ?? -1), {
    score: 0.99,
  }),
  letteredRule(
    'crypto_wallet',
    'segwit',
    SEGWIT,
    (written) => isSegwitAddress(written, written.slice(0, written.indexOf('1')).toLowerCase()),
    { leastLetters: 2 },
  ),
  letteredRule('crypto_wallet', 'ethereum', ETHEREUM, (written) => isEthereumAddress(written.slice(2)), {
    leastLetters: 1,
  }),
];
