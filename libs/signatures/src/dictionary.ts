import { parseDictionary } from 'structured-headers';

import { SIGNATURE_LABEL } from './covered.js';

export { ParseError } from 'structured-headers';

/** The types of structured-headers name one that only browsers declare; what is read is looked at before it is used. */
export type Parameters = ReadonlyMap<string, unknown>;
/** An item, or an inner list of items, with its parameters. */
export type Member = readonly [value: unknown, parameters: Parameters];

/** Our member of a dictionary of structured fields (RFC 9651); undefined where it has none. @throws ParseError */
export function ourMember(text: string): Member | undefined {
  return (parseDictionary(text) as ReadonlyMap<string, Member>).get(SIGNATURE_LABEL);
}
