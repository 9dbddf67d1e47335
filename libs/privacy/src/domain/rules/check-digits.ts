/** Value of the digit at a place of a string of digits. */
export function digitAt(digits: string, at: number): number {
  return digits.charCodeAt(at) - 0x30;
}

/** The sum of the leading digits, each times its weight. */
export function weightedSum(digits: string, weights: readonly number[]): number {
  return weights.reduce((sum, weight, at) => sum + weight * digitAt(digits, at), 0);
}

/** ISO/IEC 7812-1 annex B: every second digit from the right doubled, their digits summed. */
export function hasLuhnDigit(digits: string): boolean {
  let sum = 0;
  for (let at = digits.length - 1, doubled = false; at >= 0; at--, doubled = !doubled) {
    const digit = digitAt(digits, at);
    sum += doubled ? (digit > 4 ? 2 * digit - 9 : 2 * digit) : digit;
  }
  return sum % 10 === 0;
}

/** ISO/IEC 7064, MOD 11,10: one check digit at the end. */
export function hasMod1110Digit(digits: string): boolean {
  let product = 10;
  for (let at = 0; at < digits.length - 1; at++) {
    const sum = (digitAt(digits, at) + product) % 10 || 10;
    product = (2 * sum) % 11;
  }
  return (11 - product) % 10 === digitAt(digits, digits.length - 1);
}

/** Rows of the dihedral group of order ten. */
const TIMES = [
  '0123456789',
  '1234067895',
  '2340178956',
  '3401289567',
  '4012395678',
  '5987604321',
  '6598710432',
  '7659821043',
  '8765932104',
  '9876543210',
];
const SHUFFLES = [
  '0123456789',
  '1576283094',
  '5803796142',
  '8916043527',
  '9453126870',
  '4286573901',
  '2793806415',
  '7046913258',
];

/** Verhoeff's check digit at the end. */
export function hasVerhoeffDigit(digits: string): boolean {
  let check = 0;
  for (let at = digits.length - 1, turn = 0; at >= 0; at--, turn++)
    check = digitAt(TIMES[check] ?? '', digitAt(SHUFFLES[turn % SHUFFLES.length] ?? '', digitAt(digits, at)));
  return check === 0;
}
