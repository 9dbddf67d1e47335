/** A fact somebody asks to have remembered: what it is about and what it says. */
export interface Remembered {
  /** `my favorite color`, with its "my". */
  readonly about: string;
  readonly value: string;
}

/** As the router reads it too: only what its rules take for a command comes here. */
const ASKS =
  /^(?:please\s+)?(?:((?:can|could|would|will)\s+you)\s+|(?:i\s+want|i\s+need|i['’]d\s+like|i\s+would\s+like)\s+you\s+to\s+)?(?:please\s+)?(?:remember|save|store|note|set|record|keep\s+in\s+mind|(?:don['’]t|do\s+not)\s+forget)\b[\s,:]*(?:that\s+)?/i;
const STATES = /^(my\s+[\p{L}\p{N}][\p{L}\p{N}\s'’-]{0,80}?)\s+(?:is|are|was|to|as|=|:)\s+(.+)$/isu;
const MAX_LENGTH = 2000;

/**
 * Takes "Remember that my favorite color is blue" apart; null where the text is no such wish. Nothing is inferred: the
 * value is what stands after the verb, without the closing mark; a `?` closes only a wish that is put as a question.
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
    .replace(asks[1] === undefined ? /[.!]+$/ : /[.!?]+$/, '')
    .trim();
  return value === '' ? null : { about: states[1]!.trim(), value };
}
