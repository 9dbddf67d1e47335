import type { LiveThing } from '../live/sse-session.js';
import type { Controller, Operation } from '../edge/operation.js';
import { operationOf } from '../edge/operation.js';

/** A field of Subscription: one operation of the REST interface, for as long as somebody follows it. */
export interface Subscription {
  readonly name: string;
  readonly operation: Operation;
  readonly description: string;
  /** Names of the types of what comes, by its kind. */
  readonly answers: Readonly<Partial<Record<LiveThing['kind'], string>>>;
  /** Where the operation begins no stream but answers: whether what it answered will change no more by itself. */
  readonly isOver: ((answer: object) => boolean) | undefined;
}

type Handler<C extends Controller> = keyof InstanceType<C> & string;

/** What a handler sends as a stream of server-sent events. @throws UndeclaredOperationError */
export function followed<C extends Controller>(
  name: string,
  controller: C,
  handler: Handler<C>,
  answers: Subscription['answers'],
  description: string,
): Subscription {
  return { name, operation: operationOf(controller, handler), answers, description, isOver: undefined };
}

/** A thing that a handler answers with, each time that it has changed. @throws UndeclaredOperationError */
export function watched<C extends Controller>(
  name: string,
  controller: C,
  handler: Handler<C>,
  answer: string,
  description: string,
  isOver: (answer: object) => boolean,
): Subscription {
  return { name, operation: operationOf(controller, handler), answers: { progress: answer }, description, isOver };
}
