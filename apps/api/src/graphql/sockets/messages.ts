import { isUtf8 } from 'node:buffer';

import type { JsonObject } from '#lib/kernel';

import { namesTwice } from '../../edge/json-body.js';
import type { GraphqlDto } from '../graphql.dto.js';

/** What a client may send (graphql-transport-ws). */
export type Message =
  | { readonly type: 'connection_init'; readonly authorization: string | undefined }
  | { readonly type: 'ping' | 'pong' }
  | { readonly type: 'subscribe'; readonly id: string; readonly body: GraphqlDto }
  | { readonly type: 'complete'; readonly id: string };

/** Chosen by the caller and repeated to them; so it has the form of an Idempotency-Key. */
const ID = /^[A-Za-z0-9._:-]{1,128}$/;

/** A message as it was sent; undefined for what is none. */
export function messageOf(bytes: Buffer, isBinary: boolean): Message | undefined {
  const sent = isBinary || !isUtf8(bytes) ? undefined : parsed(bytes.toString('utf8'));
  if (!isObject(sent)) return undefined;
  const { type, id, payload } = sent;
  if (type === 'ping' || type === 'pong') return isOptionalObject(payload) ? { type } : undefined;
  if (type === 'connection_init') return isOptionalObject(payload) ? initOf(payload ?? {}) : undefined;
  if (typeof id !== 'string' || !ID.test(id)) return undefined;
  if (type === 'complete') return { type, id };
  const body = type === 'subscribe' && isObject(payload) ? bodyOf(payload) : undefined;
  return body && { type: 'subscribe', id, body };
}

/** Of all that a payload may hold, the token alone is read: nothing else of it becomes a header, or part of a context. */
function initOf(payload: JsonObject): Message | undefined {
  const { authorization, Authorization } = payload;
  if (authorization !== undefined && Authorization !== undefined) return undefined;
  const given = authorization ?? Authorization;
  if (given !== undefined && typeof given !== 'string') return undefined;
  return { type: 'connection_init', authorization: given };
}

/** The same members as those of POST /graphql. */
function bodyOf({ query, operationName, variables, extensions }: JsonObject): GraphqlDto | undefined {
  if (!isOptional(query, 'string') || !isOptional(operationName, 'string')) return undefined;
  if (!isOptionalObject(variables) || !isOptionalObject(extensions)) return undefined;
  return {
    ...(typeof query === 'string' ? { query } : {}),
    ...(typeof operationName === 'string' ? { operationName } : {}),
    ...(variables ? { variables } : {}),
    ...(extensions ? { extensions } : {}),
  };
}

/** Undefined also where a member stands twice: who reads the first of them and who reads the last do not see the same. */
function parsed(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    return namesTwice(text, value) ? undefined : value;
  } catch {
    return undefined;
  }
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isOptionalObject(value: unknown): value is JsonObject | null | undefined {
  return value === undefined || value === null || isObject(value);
}

function isOptional(value: unknown, type: 'string'): boolean {
  return value === undefined || value === null || typeof value === type;
}
