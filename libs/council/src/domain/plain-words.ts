/** Words of a text in lower case, letters and digits alone: "What's 2 + 2?" has what, s, 2 and 2. */
export function wordsOf(text: string): readonly string[] {
  return text.toLowerCase().match(/[\p{L}\p{M}\p{N}]+/gu) ?? [];
}

export function setOf(words: string): ReadonlySet<string> {
  return new Set(words.split(/\s+/));
}

/** Words that say nothing of what a sentence is about. */
export const STOP_WORDS = setOf(
  `a about after again all also an and any are as at be because been before being but by can could did do does doing
   each else ever every for from had has have having he her here him his how i if in into is it its just know let ll
   many may me might more most much must my no not now of on once only or other our out over please re s same shall she
   should so some such t tell than that the their them then there these they thing things this those to too under until
   up us ve very was we were what when where which while who whom whose why will with would yes you your`,
);
