/** Fewer signs hold nothing that a rule finds by itself: the shortest are addresses, of mail and of hosts. */
const LEAST = 5;
/** Numbers of people that a word must name, since longer ones may prove themselves by check digits; and parts of one. */
const BARE_NUMBER = /^-?(?:[0-9]{1,12}|[0-9]{1,3}\.[0-9]{1,3}|0\.[0-9]{1,12})$/;
/** Too few for a code of letters and digits, or of letters alone; "annaATgmailDOTcom" has its sign in capitals. */
const ONE_WORD = /^(?:[A-Za-z0-9]{1,8}|(?!.*AT)[A-Za-z]{1,15})$/;

/**
 * Whether a value of a payload, of which nothing around it speaks, is so short and plain that no rule finds anything in it.
 * A payload may have a hundred thousand of them, and each would be read by every rule.
 */
export function isPlain(text: string): boolean {
  return text.length < LEAST || BARE_NUMBER.test(text) || ONE_WORD.test(text);
}
