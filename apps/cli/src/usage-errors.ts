/** A word that somebody may have meant for a command or an option: whoever mistyped it wants to see it. */
const WORD = /^-{0,2}[a-z][a-z-]{0,30}$/;

const OPTION = /^(error: option '[^']*') argument '[\s\S]*' is invalid\. /;
const ARGUMENT = /^error: command-argument value '[\s\S]*' is invalid for argument ('[a-z_ -]+')\. /;
const UNKNOWN = /^(error: unknown (?:command|option)) '([\s\S]*?)'(?=\n|$)/;

/**
 * What commander says of a command line that is not as it is used, without the values in it: they may be personal, or hold
 * signs that control a terminal, and what is said may be kept in a log.
 */
export function withoutValues(message: string): string {
  return message
    .replace(OPTION, '$1: ')
    .replace(ARGUMENT, 'error: argument $1: ')
    .replace(UNKNOWN, (all, what: string, word: string) => (WORD.test(word) ? all : what));
}
