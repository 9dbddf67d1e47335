import type { FastifyReply, FastifyRequest } from 'fastify';

import { MaceError } from '#lib/kernel';

/** Answers with the strong ETag of a resource's revision. */
export function withEtag(reply: FastifyReply, revision: number): void {
  void reply.header('etag', `"${revision}"`);
}

/**
 * The revision that If-Match asks for; undefined where the header is absent, 'any' for `*`.
 * @throws MaceError INVALID_INPUT for anything but one strong tag of ours
 */
export function ifMatch(request: FastifyRequest): number | 'any' | undefined {
  const header = request.headers['if-match'];
  if (header === undefined) return undefined;
  if (header === '*') return 'any';
  const revision = /^"(0|[1-9][0-9]{0,14})"$/.exec(header)?.[1];
  if (revision === undefined) throw new MaceError('INVALID_INPUT', 'If-Match: one strong ETag such as "3", or *');
  return Number(revision);
}

/**
 * @param current the resource's revision, undefined where it does not exist
 * @throws MaceError PRECONDITION_FAILED where the resource is not at the revision asked for
 */
export function checkIfMatch(request: FastifyRequest, current: number | undefined): void {
  const wanted = ifMatch(request);
  if (wanted === undefined) return;
  if (current === undefined || (wanted !== 'any' && wanted !== current)) {
    throw new MaceError(
      'PRECONDITION_FAILED',
      `If-Match asks for ${String(wanted)}; the revision is ${current ?? 'none'}`,
    );
  }
}
