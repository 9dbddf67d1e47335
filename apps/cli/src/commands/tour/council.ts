import type { JsonObject } from '#lib/kernel';

import type { EventLine } from './guide.js';
import type { Person } from './house.js';
import { membersOf, type Walk } from './walk.js';

export interface Request {
  readonly request_id: string;
  readonly kind: string;
  readonly status: string;
  readonly payload: JsonObject;
  readonly required_approval_type: string;
  readonly proposal_digest: string;
  readonly tally: { readonly approve: number; readonly reject: number; readonly abstain: number };
  readonly execution: JsonObject | null;
  readonly error_code?: string;
  readonly developer_message?: string;
}

/** One vote, told; the answer may be a refusal. */
export function vote(walk: Walk, by: Person, request: Request, ballot: string) {
  const { request_id: id, proposal_digest } = request;
  const call = { method: 'POST', path: `/actionrequest/${id}/vote`, body: { vote: ballot, proposal_digest } } as const;
  return walk.call<Request>(by, call, `votes ${ballot} on ${id}`, (body, status) =>
    body.error_code === undefined
      ? `${status} ${body.status}, ${body.tally.approve} for, ${body.tally.reject} against`
      : `${status} ${body.error_code}: ${body.developer_message}`,
  );
}

/** The request once the reactor has carried it out. */
export function carriedOut(walk: Walk, id: string): Promise<Request | null> {
  return walk.eventually(async () => {
    const { body } = await walk.house.send<Request>('olga', { method: 'GET', path: `/actionrequest/${id}` });
    return body.execution === null ? null : body;
  });
}

/** Everything on record of a request, told. */
export async function recordOf(walk: Walk, id: string): Promise<readonly EventLine[]> {
  const events = await walk.house.stream(`actionrequest-${id}`);
  walk.guide.events(events, (event) =>
    membersOf(event, 'requested_by', 'action', 'voter', 'vote', 'approved_by', 'approval_event_id'),
  );
  return events;
}
