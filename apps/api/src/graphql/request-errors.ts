import type { GraphQLError, OperationDefinitionNode } from 'graphql';
import { print } from 'graphql';

import { withoutPersonal } from '../edge/answer-failure.js';

/** Words for a request that is no valid GraphQL: which place, and its allowed form; never what was sent. */

const NAME = /^[$@]?[A-Za-z_]+(?:[0-9]{1,2}[A-Za-z_]*)?(?:\.[A-Za-z_]+)*$/;
const TYPE = /^\[*[A-Za-z_]+[!\]]*$/;
const VARIABLE = /^Variable "\$([A-Za-z_0-9]+)"/;
/** Where the library repeats a value, after what says of which kind it is not. */
const VALUES = [/(?<= value): .*$/s, /(?<= invalid value) .*$/s, /,? found:? .*$/is];
/** Names of the schema that are near to the one that was sent. */
const SUGGESTION = / Did you mean .*$/s;

/**
 * @param operation whose variables the error may be about
 * @param withSuggestions where the schema is told anyway
 */
export function wordsOf(
  { message }: Pick<GraphQLError, 'message'>,
  operation?: OperationDefinitionNode,
  withSuggestions = false,
): string {
  const variable = VARIABLE.exec(message)?.[1];
  const declared = operation?.variableDefinitions?.find(({ variable: { name } }) => name.value === variable);
  if (declared) return `variables.${variable}: of type ${print(declared.type)}`;
  const said = withSuggestions ? message : message.replace(SUGGESTION, '');
  const short = VALUES.reduce((text, value) => text.replace(value, ''), said);
  return withoutPersonal(short.replace(/"([^"]*)"/g, (_, part: string) => (isName(part) ? `"${part}"` : '(…)')));
}

function isName(part: string): boolean {
  return part.length <= 80 && (NAME.test(part) || TYPE.test(part));
}
