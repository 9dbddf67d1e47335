import type { GraphQLError, OperationDefinitionNode } from 'graphql';
import { print } from 'graphql';

import { withoutPersonal } from '../edge/answer-failure.js';

/** Words for a request that is no valid GraphQL: which place, and its allowed form; never what was sent. */

const NAME = /^[$@]?[A-Za-z_]+(?:[0-9]{1,2}[A-Za-z_]*)?(?:\.[A-Za-z_]+)*$/;
const TYPE = /^\[*[A-Za-z_]+[!\]]*$/;
const VARIABLE = /^Variable "\$([A-Za-z_0-9]+)"/;
/** Where the library repeats a value. */
const VALUES = [
  / Did you mean .*$/s,
  / (value|non string value|non boolean value|non-integer value|non numeric value|non 32-bit signed integer value|found):? .*$/is,
];

/** @param operation whose variables the error may be about */
export function wordsOf({ message }: Pick<GraphQLError, 'message'>, operation?: OperationDefinitionNode): string {
  const variable = VARIABLE.exec(message)?.[1];
  const declared = operation?.variableDefinitions?.find(({ variable: { name } }) => name.value === variable);
  if (declared) return `variables.${variable}: of type ${print(declared.type)}`;
  const short = VALUES.reduce((text, value) => text.replace(value, ''), message);
  return withoutPersonal(short.replace(/"([^"]*)"/g, (_, part: string) => (isName(part) ? `"${part}"` : '(…)')));
}

function isName(part: string): boolean {
  return part.length <= 80 && (NAME.test(part) || TYPE.test(part));
}
