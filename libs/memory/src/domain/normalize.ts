/** Longest part of a canonical key, in characters. */
export const MAX_PART = 64;

/**
 * The text form every part of a canonical key is made of: a-z, 0-9 and single `_` (spec/memory.md, "Canonical keys").
 * Linear in the length of the text. A `_` that the cut leaves at the end stays, as in the seed's section 16.
 * @returns 0 to 64 characters; empty where the text holds no letter or digit that has an ASCII form
 */
export function normalize(text: string): string {
  return normalizeWhole(text).slice(0, MAX_PART);
}

/** As `normalize`, without the cut: what the rules for long names measure. */
export function normalizeWhole(text: string): string {
  return text
    .trim()
    .toLowerCase()
    .replace(/\P{ASCII}/gu, asciiOf)
    .replace(/[^a-z0-9]+/g, '_')
    .replace(/^_|_$/g, '');
}

/**
 * The ASCII characters in the NFKD form of one character. One at a time, because NFKD of a whole text sorts runs of
 * combining marks in quadratic time (a million of them hang the process); the marks are dropped anyway, so that the
 * result is the same.
 */
function asciiOf(character: string): string {
  return character.normalize('NFKD').replace(/\P{ASCII}/gu, '');
}
