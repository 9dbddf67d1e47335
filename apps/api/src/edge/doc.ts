import { SetMetadata } from '@nestjs/common';

import type { ErrorCode, Json } from '#lib/kernel';

/** What a reader of /docs sees of an operation besides its form, which is taken from the DTO classes. */
export interface OperationDoc {
  readonly summary: string;
  readonly description?: string;
  /** An example of the body. */
  readonly request?: Json;
  /** An example of the answer. */
  readonly answer?: Json;
  /** Codes that this operation answers with besides those every operation has. */
  readonly errors?: readonly ErrorCode[];
}

export const DOC_METADATA = 'mace:doc';

/** Describes an operation, without loading the library that draws the documentation. */
export function Doc(doc: OperationDoc): MethodDecorator {
  return SetMetadata(DOC_METADATA, doc);
}
