import type { FastifyReply } from 'fastify';

import { type IfMatch, MaceError } from '#lib/kernel';

import type { AskedRequest } from './request-facts.js';

/** Answers with the strong ETag of a resource's revision. */
export function withEtag(reply: FastifyReply, revision: number): void {
  void reply.header('etag', `"${revision}"`);
}

/** Whether a read that says what its caller has is of that (RFC 9110, 13.1.2); a weak tag is one of the same content. */
export function isAmong(etag: string, ifNoneMatch: string | undefined): boolean {
  if (ifNoneMatch === undefined) return false;
  if (ifNoneMatch.trim() === '*') return true;
  return (ifNoneMatch.match(ENTITY_TAG) ?? []).some((tag) => tag.replace('W/', '') === etag);
}

/** Of RFC 9110, 8.8.3; what stands between the quotation marks may hold a comma. */
const ENTITY_TAG = /(?:W\/)?"[!#-~\u0080-\u00ff]*"/g;
/** In the place of a tag; what is left of a header that holds more of them than tags is malformed. */
const TAKEN = '"';
/** Nobody has read more revisions of one thing than this; a header has room for thousands. */
const MAX_TAGS = 32;
/** A strong tag as `withEtag` makes them. */
const OURS = /^"(0|[1-9][0-9]{0,14})"$/;

/**
 * What a write's If-Match asks for; undefined where the header is absent. A tag that is weak or none of ours is a tag, and
 * matches nothing (RFC 9110, 13.1.1). A write that is not held to a revision refuses the header: who sends it counts on it.
 * @throws MaceError INVALID_INPUT, also for anything but a list of up to 32 tags, or *
 */
export function ifMatchOf({ headers, mace }: Pick<AskedRequest, 'headers' | 'mace'>): IfMatch | undefined {
  const header = headers['if-match'];
  if (header === undefined) return undefined;
  if (mace.route.takesIfMatch !== true) {
    throw new MaceError('INVALID_INPUT', 'If-Match: this route is not held to a revision; leave it out');
  }
  if (header === '*') return 'any';
  const revisions = tagsIn(header).flatMap((tag) => {
    const revision = OURS.exec(tag)?.[1];
    return revision === undefined ? [] : [Number(revision)];
  });
  const distinct = [...new Set(revisions)];
  return distinct.length === 1 ? distinct[0] : distinct;
}

/**
 * A write that would pass the header by overwrites what its sender has said to leave alone (RFC 9110, 13.1.2).
 * @throws MaceError INVALID_INPUT where a write has one
 */
export function refuseIfNoneMatch({ headers }: Pick<AskedRequest, 'headers'>): void {
  if (headers['if-none-match'] === undefined) return;
  throw new MaceError('INVALID_INPUT', 'If-None-Match: no write is held to it; read what is there, and send If-Match');
}

/** @throws MaceError INVALID_INPUT */
function tagsIn(header: string): readonly string[] {
  const tags = header.match(ENTITY_TAG) ?? [];
  const elements = header.replace(ENTITY_TAG, TAKEN).split(',');
  const given = elements.map((element) => element.trim()).filter((element) => element !== '');
  if (tags.length === 0 || given.length !== tags.length || given.some((element) => element !== TAKEN))
    throw new MaceError('INVALID_INPUT', 'If-Match: an ETag such as "3", several with commas between them, or *');
  if (tags.length > MAX_TAGS) throw new MaceError('INVALID_INPUT', `If-Match: at most ${MAX_TAGS} tags`);
  return tags;
}
