import type { FastifyReply } from 'fastify';

import { type IfMatch, MaceError } from '#lib/kernel';

import type { AskedRequest } from './request-facts.js';

/** Answers with the strong ETag of a resource's revision. */
export function withEtag(reply: FastifyReply, revision: number): void {
  void reply.header('etag', `"${revision}"`);
}

/**
 * The revision that a write's If-Match asks for; undefined where the header is absent. A write that is not held to a
 * revision refuses the header: who sends it counts on it.
 * @throws MaceError INVALID_INPUT, also for anything but one strong tag of ours
 */
export function ifMatchOf({ headers, mace }: Pick<AskedRequest, 'headers' | 'mace'>): IfMatch | undefined {
  const header = headers['if-match'];
  if (header === undefined) return undefined;
  if (mace.route.takesIfMatch !== true) {
    throw new MaceError('INVALID_INPUT', 'If-Match: this route is not held to a revision; leave it out');
  }
  if (header === '*') return 'any';
  const revision = /^"(0|[1-9][0-9]{0,14})"$/.exec(header)?.[1];
  if (revision === undefined) throw new MaceError('INVALID_INPUT', 'If-Match: one strong ETag such as "3", or *');
  return Number(revision);
}
