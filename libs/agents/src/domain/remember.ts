/** A fact somebody asks to have remembered: what it is about and what it says. */
export interface Remembered {
  /** `my favorite color`, with its "my". */
  readonly about: string;
  readonly value: string;
}

const ASKS =
  /^(?:please\s+)?(?:(?:can|could) you\s+)?(?:please\s+)?(?:remember|save|store|note|set|record|keep in mind)\b[\s,:]*(?:that\s+)?/i;
const STATES = /^(my\s+[\p{L}\p{N}][\p{L}\p{N}\s'’-]{0,80}?)\s+(?:is|are|was|to|as|=|:)\s+(.+)$/isu;
const MAX_LENGTH = 2000;

/**
 * Takes "Remember that my favorite color is blue" apart; null where the text is no such wish. Nothing is inferred: the
 * value is what stands after the verb, without the closing mark.
 */
export function parseRemember(text: string): Remembered | null {
  if (text.length > MAX_LENGTH) return null;
  const trimmed = text.trim();
  const asks = ASKS.exec(trimmed);
  if (!asks) return null;
  const states = STATES.exec(trimmed.slice(asks[0].length));
  if (!states) return null;
  const value = states[2]!
    .trim()
    .replace(/[.!]+$/, '')
    .trim();
  return value === '' ? null : { about: states[1]!.trim(), value };
}
