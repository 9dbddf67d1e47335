import { SetMetadata } from '@nestjs/common';

import type { ErrorCode, Json, JsonObject } from '#lib/kernel';

/** What a reader of /docs sees of an operation besides its form, which is taken from the DTO classes. */
export interface OperationDoc {
  readonly summary: string;
  readonly description?: string;
  /** An example of the body. */
  readonly request?: Json;
  /** An example of the answer; its schema follows from it. Absent only where the operation is `refused`. */
  readonly answer?: Json;
  /** More answers of the same status, by what they show: what only some of them have is not required. */
  readonly otherAnswers?: Readonly<Record<string, Json>>;
  /** An example of what 202 answers, where the operation has that besides its usual status. */
  readonly pending?: Json;
  /**
   * JSON Schemas of those fields of the answer whose examples say too little, by path (`items.value`; steps into arrays
   * are not written). A path that ends in `?` may be absent.
   */
  readonly forms?: Readonly<Record<string, JsonObject>>;
  /** Content type of the answer where it is not JSON. */
  readonly media?: string;
  /** Request headers besides those every operation has; with If-None-Match the answer has a tag of its content. */
  readonly headers?: readonly ('If-Match' | 'If-None-Match' | 'Prefer' | 'Last-Event-ID' | 'A2A-Version')[];
  /** The answer has a strong ETag. */
  readonly etag?: true;
  /** Never answers but with an error. */
  readonly refused?: true;
  /** Changes nothing, though its method could: it has none of the errors of a write. */
  readonly changesNothing?: true;
  /** Codes that this operation answers with besides those that follow from its form (openapi-errors.ts). */
  readonly errors?: readonly ErrorCode[];
}

export const DOC_METADATA = 'mace:doc';

/** Describes an operation, without loading the library that draws the documentation. */
export function Doc(doc: OperationDoc): MethodDecorator {
  return SetMetadata(DOC_METADATA, doc);
}

export function docOf(handler: object): OperationDoc | undefined {
  return Reflect.getMetadata(DOC_METADATA, handler) as OperationDoc | undefined;
}
