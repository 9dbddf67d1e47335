import { MaceError, sha1Hex } from '#lib/kernel';
import { MAX_PART, normalizeWhole } from './normalize.js';

/**
 * Canonical keys (spec/memory.md, "Canonical keys"; seed 001, "Canonical Key Rules"): the single source of truth for
 * how a key is made, read and checked, and for who a user_id is.
 */

export const SCOPES = ['user', 'world', 'mace', 'agent', 'system', 'config'] as const;
export type Scope = (typeof SCOPES)[number];

/** The four parts of a key, each 1 to 64 characters and already in key form. */
export interface CanonicalKey {
  readonly scope: Scope;
  readonly entityType: string;
  readonly entityId: string;
  readonly attribute: string;
}

/** What a key is made of, as people and agents write it. */
export interface KeyRequest {
  readonly scope: string;
  readonly entityType: string;
  /** Not looked at where scope is `user` and a user_id is given. */
  readonly entityIdRaw?: string | null | undefined;
  readonly attributeRaw: string;
  /** Counts for scope `user` only. Null and undefined mean absent; an empty text is an error. */
  readonly userId?: string | null | undefined;
}

type Part = 'scope' | 'entity_type' | 'entity_id' | 'attribute' | 'user_id';

const KEY_FORM = /^([a-z0-9_]+)\/([a-z0-9_]+)\/([a-z0-9_-]+)\/([a-z0-9_]+)$/;
const ID_FORM = /^[a-z0-9_-]+$/;
const MAX_KEY = 256;
/** Longest raw text a part is made from, in UTF-16 units: as long as a query. */
const MAX_RAW = 8_000;
/** From here on an entity_id is a slug of as many code points and a hash. */
const MAX_PLAIN_ID = 48;
const CUT_ATTRIBUTE = 55;
const HASH_DIGITS = 8;
const COLLISION_DIGITS = 6;

const ALLOWED: Readonly<Record<Part, string>> = {
  scope: `one of ${SCOPES.join(', ')}`,
  entity_type: '1 to 64 characters of a-z, 0-9 and "_" after normalising',
  entity_id: '1 to 64 characters of a-z, 0-9, "_" and "-" after normalising',
  attribute: '1 to 64 characters of a-z, 0-9 and "_" after normalising',
  user_id:
    'a text of at most 64 characters that normalises to 1 to 64 of a-z, 0-9 and "_", the prefix "user_" included',
};

/**
 * The key of a fact: `scope/entity_type/entity_id/attribute`.
 * @throws MaceError INVALID_INPUT naming the part that is empty, too long or not allowed
 */
export function generateCanonicalKey(request: KeyRequest): string {
  const scope = scopeOf(normalizeWhole(rawText('scope', request.scope)));
  return formatCanonicalKey({
    scope,
    entityType: fitting('entity_type', normalizeWhole(rawText('entity_type', request.entityType))),
    entityId: entityIdOf(scope, request),
    attribute: attributeOf(request.attributeRaw),
  });
}

/**
 * Reads a key that is already in its form; nothing is normalised or repaired.
 * @throws MaceError INVALID_INPUT naming what is wrong
 */
export function parseCanonicalKey(text: string): CanonicalKey {
  if (text.length > MAX_KEY) throw invalid(`The key has ${text.length} characters; allowed: at most ${MAX_KEY}.`);
  const match = KEY_FORM.exec(text);
  if (!match) {
    throw invalid(
      'The key is malformed; allowed: scope/entity_type/entity_id/attribute, each of a-z, 0-9 and "_", entity_id also of "-".',
    );
  }
  const [, scope = '', entityType = '', entityId = '', attribute = ''] = match;
  return {
    scope: scopeOf(scope),
    entityType: fitting('entity_type', entityType),
    entityId: fitting('entity_id', entityId),
    attribute: fitting('attribute', attribute),
  };
}

export function formatCanonicalKey({ scope, entityType, entityId, attribute }: CanonicalKey): string {
  return `${scope}/${entityType}/${entityId}/${attribute}`;
}

/**
 * The entity_id of a user, which is also the form a principal is registered under: `TUFF` and `user_tuff` both give
 * `user_tuff`. That another raw text with the same form is somebody else, the principal registry decides.
 * @throws MaceError INVALID_INPUT where the text or its form is longer than 64, or nothing is left of it
 */
export function principalNormalForm(rawUserId: string): string {
  if (rawUserId.length > MAX_PART) throw tooLong('user_id', rawUserId.length);
  const name = fitting('user_id', normalizeWhole(rawText('user_id', rawUserId)));
  return fitting('user_id', name.startsWith('user_') ? name : `user_${name}`);
}

/**
 * The attribute of a name. Two long names never merge: past 64 characters the end is a hash of the whole name.
 * @throws MaceError INVALID_INPUT where nothing is left of the name
 */
export function attributeOf(raw: string): string {
  const whole = normalizeWhole(rawText('attribute', raw));
  if (whole.length <= MAX_PART) return fitting('attribute', whole);
  return `${whole.slice(0, CUT_ATTRIBUTE).replace(/_$/, '')}_${sha1Hex(raw).slice(0, HASH_DIGITS)}`;
}

/**
 * What makes two raw identities the same one: the trimmed, lower-cased NFC text. Its keyed fingerprint is what a key
 * remembers (never the text), and what `resolveCollision` compares.
 * @throws MaceError INVALID_INPUT where the text is over 8,000 characters or not well-formed Unicode
 */
export function identityText(raw: string): string {
  return rawText('entity_id', raw).trim().toLowerCase().normalize('NFC');
}

/** A raw identity registered under one scope, entity_type and base entity_id, with the entity_id it was given. */
export interface RegisteredIdentity {
  readonly fingerprint: string;
  readonly entityId: string;
}

export interface ResolvedIdentity {
  readonly entityId: string;
  /** `known`: registered before; `first`: takes the plain id; `collision`: takes the suffix, and is to be logged. */
  readonly outcome: 'known' | 'first' | 'collision';
}

/**
 * Which entity_id a raw identity has among those that normalise to the same one. The first keeps the plain id; each
 * later one gets `-` and 6 hex of its SHA-1, and keeps that for good, however its letters' case is written later.
 * Not for users: the principal registry guards their keys.
 * @param fingerprint keyed fingerprint of `identityText(raw)`
 * @param registered all that were registered for this base, first one first
 * @throws MaceError CONFLICT where the suffix itself is taken by another identity (one in 16 million)
 */
export function resolveCollision(
  base: string,
  raw: string,
  fingerprint: string,
  registered: readonly RegisteredIdentity[],
): ResolvedIdentity {
  const known = registered.find((identity) => identity.fingerprint === fingerprint);
  if (known) return { entityId: known.entityId, outcome: 'known' };
  if (registered.length === 0) return { entityId: idForm(base), outcome: 'first' };

  const suffix = `-${sha1Hex(rawText('entity_id', raw)).slice(0, COLLISION_DIGITS)}`;
  const room = base.slice(0, MAX_PART - suffix.length).replace(/[_-]+$/, '');
  const entityId = idForm(`${room}${suffix}`);
  if (registered.some((identity) => identity.entityId === entityId)) {
    throw new MaceError('CONFLICT', 'entity_id: two identities would share one key; write this one differently.');
  }
  return { entityId, outcome: 'collision' };
}

function entityIdOf(scope: Scope, { entityIdRaw, userId }: KeyRequest): string {
  if (scope === 'user' && userId !== null && userId !== undefined) return principalNormalForm(userId);
  if (entityIdRaw === null || entityIdRaw === undefined) {
    throw invalid(`entity_id: entity_id_raw is missing, and scope user has no user_id; allowed: ${ALLOWED.entity_id}.`);
  }
  const whole = normalizeWhole(rawText('entity_id', entityIdRaw));
  if (whole.length <= MAX_PLAIN_ID) return fitting('entity_id', whole);
  const slug = normalizeWhole(firstCodePoints(entityIdRaw, MAX_PLAIN_ID));
  // A few characters spell out as five ("㎯" is "rads2"): such a slug can be too long, which is an error as any other.
  return fitting('entity_id', `${slug}-${sha1Hex(entityIdRaw).slice(0, HASH_DIGITS)}`);
}

function firstCodePoints(text: string, count: number): string {
  return Array.from(text.slice(0, 2 * count))
    .slice(0, count)
    .join('');
}

function scopeOf(text: string): Scope {
  const scope = SCOPES.find((known) => known === text);
  if (scope === undefined) throw invalid(`scope: not a known one; allowed: ${ALLOWED.scope}.`);
  return scope;
}

function fitting(part: Part, text: string): string {
  if (text === '') throw invalid(`${part}: nothing is left after normalising; allowed: ${ALLOWED[part]}.`);
  if (text.length > MAX_PART) throw tooLong(part, text.length);
  return text;
}

function idForm(text: string): string {
  if (!ID_FORM.test(text)) throw invalid(`entity_id: not in its form; allowed: ${ALLOWED.entity_id}.`);
  return fitting('entity_id', text);
}

/** Bounds the work on a text, and refuses lone surrogates: they have no UTF-8, so different ones would hash alike. */
function rawText(part: Part, text: string): string {
  if (text.length > MAX_RAW) {
    throw invalid(
      `${part}: ${text.length} characters; allowed: at most ${MAX_RAW} before normalising, ${ALLOWED[part]}.`,
    );
  }
  if (/\p{Surrogate}/u.test(text)) throw invalid(`${part}: holds a lone surrogate; allowed: well-formed Unicode.`);
  return text;
}

function tooLong(part: Part, length: number): MaceError {
  return invalid(`${part}: ${length} characters; allowed: ${ALLOWED[part]}.`);
}

function invalid(message: string): MaceError {
  return new MaceError('INVALID_INPUT', message);
}
