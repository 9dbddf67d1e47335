import type { Json, JsonObject } from '#lib/kernel';

import { type Controller, type Operation, operationOf } from '../edge/operation.js';

/** A field of Query or Mutation: one operation of the REST interface under a name of its own. */
export interface Field {
  readonly name: string;
  readonly root: 'Query' | 'Mutation';
  readonly operation: Operation;
  /** Name of the type of its answer, or of the items where it answers with a page. */
  readonly answer: string;
  readonly isPage: boolean;
  /** Name of the type of what 202 answers, where the operation has that. */
  readonly pending: string | undefined;
  /** The answer is one document, which stands whole in `document`: its members are for programs that check it. */
  readonly isDocument: boolean;
}

interface More {
  readonly pending?: string;
  readonly isDocument?: true;
}

type Declare = <C extends Controller>(
  name: string,
  controller: C,
  handler: keyof InstanceType<C> & string,
  answer: string,
  more?: More,
) => Field;

/** @throws UndeclaredOperationError where the handler does not say who may call it */
export const query: Declare = (name, controller, handler, answer, more) =>
  field('Query', name, operationOf(controller, handler), answer, more);

/** @throws UndeclaredOperationError where the handler does not say who may call it */
export const mutation: Declare = (name, controller, handler, answer, more) =>
  field('Mutation', name, operationOf(controller, handler), answer, more);

function field(root: Field['root'], name: string, operation: Operation, answer: string, more: More = {}): Field {
  const { doc } = operation;
  const waits = doc.pending === undefined ? undefined : (more.pending ?? `${answer}Pending`);
  return {
    name,
    root,
    operation,
    answer,
    isPage: isPage(doc.answer),
    pending: waits,
    isDocument: more.isDocument ?? false,
  };
}

/** Every list is answered as `items` and `next_cursor`. */
function isPage(answer: Json | undefined): boolean {
  const members = typeof answer === 'object' && answer !== null && !Array.isArray(answer) ? (answer as JsonObject) : {};
  return 'items' in members && 'next_cursor' in members;
}

/** The one type that an answer has where nothing fails and nothing waits. */
export function answerTypeOf({ answer, isPage }: Pick<Field, 'answer' | 'isPage'>): string {
  return isPage ? `${answer}Connection` : answer;
}

/** `favorite_color` and `SEM_NOT_FOUND` as names of types. */
export function pascal(name: string): string {
  const words = name === name.toUpperCase() ? name.toLowerCase() : name;
  return words
    .split('_')
    .map((word) => word.slice(0, 1).toUpperCase() + word.slice(1))
    .join('');
}
