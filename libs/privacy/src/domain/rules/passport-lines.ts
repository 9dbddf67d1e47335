const WEIGHTS = [7, 3, 1];

/** Whether a text of 44 characters is the first or second line of a passport's machine-readable zone (ICAO 9303-4). */
export function isTravelLine(line: string): boolean {
  return /^P[A-Z<]{43}$/.test(line) ? line.includes('<<') : isNumberLine(line);
}

/** Number, state, birth, sex, expiry: each of the three with its check digit. */
function isNumberLine(line: string): boolean {
  if (!/^[A-Z0-9<]{9}\d[A-Z<]{3}\d{7}[MFX<]\d{7}/.test(line)) return false;
  return [
    [0, 9],
    [13, 19],
    [21, 27],
  ].every(([from = 0, to = 0]) => checkDigit(line.slice(from, to)) === line.charAt(to));
}

function checkDigit(text: string): string {
  let sum = 0;
  for (let at = 0; at < text.length; at++) sum += valueOf(text.charAt(at)) * (WEIGHTS[at % 3] ?? 0);
  return String(sum % 10);
}

/** 0 to 9, A is 10, the filler is 0. */
function valueOf(char: string): number {
  return char === '<' ? 0 : Number.parseInt(char, 36);
}
