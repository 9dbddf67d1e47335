import { Equals, IsObject, IsOptional, IsString, MaxLength, MinLength } from 'class-validator';

import type { Json, JsonObject } from '#lib/kernel';

/** POST /a2a: one request of JSON-RPC 2.0. */
export class A2aDto {
  @Equals('2.0')
  jsonrpc!: '2.0';

  /** A text or a whole number, given back with the answer. */
  @IsOptional()
  id?: Json;

  @IsString()
  @MinLength(1)
  @MaxLength(64)
  method!: string;

  @IsOptional()
  @IsObject()
  params?: JsonObject;
}
