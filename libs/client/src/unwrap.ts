import { ApiError } from './errors.js';
import type { Result } from './interface.js';
import type { AnswerOf, OperationName } from './types.js';

/** The body of an answer. @throws ApiError */
export function unwrap<O extends OperationName>(result: Result<O>): AnswerOf<O> {
  if (result.ok) return result.body;
  throw new ApiError(result.error);
}
