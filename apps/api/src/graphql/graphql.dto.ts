import { IsObject, IsOptional, IsString } from 'class-validator';

import type { JsonObject } from '#lib/kernel';

/** POST /graphql: one document, with one operation. */
export class GraphqlDto {
  /** The document; may be absent where its hash was sent with it before. */
  @IsOptional()
  @IsString()
  query?: string;

  @IsOptional()
  @IsString()
  operationName?: string;

  @IsOptional()
  @IsObject()
  variables?: JsonObject;

  /** `persistedQuery`: {version: 1, sha256Hash}. */
  @IsOptional()
  @IsObject()
  extensions?: JsonObject;
}
