import { Body, type PipeTransform } from '@nestjs/common';

import { MaceError } from '#lib/kernel';

const objectOnly: PipeTransform = {
  transform(value: unknown): unknown {
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value;
    throw new MaceError('INVALID_INPUT', 'body: a JSON object');
  },
};

/** `@AnyObject() body: JsonObject`: a body of any fields, for what is not held to a form; sound JSON all the same. */
export function AnyObject(): ParameterDecorator {
  return Body(objectOnly);
}
