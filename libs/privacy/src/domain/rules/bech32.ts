const ALPHABET = 'qpzry9x8gf2tvdw0s3jn54khce6mua7l';
const GENERATOR = [0x3b6a57b2, 0x26508e6d, 0x1ea119fa, 0x3d4233dd, 0x2a1462b3];
const BECH32 = 1;
const BECH32M = 0x2bc830a3;
const CHECK = 6;

/** Whether a text is a segregated-witness address with this prefix: bech32 for version 0 (BIP 173), bech32m above (BIP 350). */
export function isSegwitAddress(text: string, prefix: string): boolean {
  if (text !== text.toLowerCase() && text !== text.toUpperCase()) return false;
  const address = text.toLowerCase();
  const values = [...address.slice(prefix.length + 1)].map((sign) => ALPHABET.indexOf(sign));
  if (!address.startsWith(`${prefix}1`) || values.includes(-1) || values.length < CHECK + 1) return false;
  const [version = 0] = values;
  const checksum = polymod([...spread(prefix), ...values]);
  return (
    version <= 16 && checksum === (version === 0 ? BECH32 : BECH32M) && isProgram(version, values.slice(1, -CHECK))
  );
}

function spread(prefix: string): number[] {
  const units = [...prefix].map((sign) => sign.charCodeAt(0));
  return [...units.map((unit) => unit >> 5), 0, ...units.map((unit) => unit & 31)];
}

function polymod(values: readonly number[]): number {
  let check = 1;
  for (const value of values) {
    const top = check >>> 25;
    check = ((check & 0x1ffffff) << 5) ^ value;
    for (const [bit, part] of GENERATOR.entries()) if ((top >>> bit) & 1) check ^= part;
  }
  return check;
}

/** 2 to 40 bytes, 20 or 32 for version 0, with fewer than five bits of padding, all zero. */
function isProgram(version: number, values: readonly number[]): boolean {
  const bits = values.length * 5;
  const bytes = bits >> 3;
  const padding = bits % 8;
  const isZero = ((values.at(-1) ?? 0) & ((1 << padding) - 1)) === 0;
  const fits = version === 0 ? bytes === 20 || bytes === 32 : bytes >= 2 && bytes <= 40;
  return fits && padding < 5 && isZero;
}
