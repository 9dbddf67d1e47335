import { hasRole, type Principal } from '#lib/access';
import { isAuditing } from '#lib/audit';
import { MaceError } from '#lib/kernel';
import { NEGOTIATION_EVENT_TYPES } from '#lib/negotiation';

import type { LiveEvent, View } from './live-event.js';

/** Which events of the log somebody wants to follow. */
export interface TailFilter {
  /** Only of these types. */
  readonly types?: readonly string[];
  /** Only of this stream. */
  readonly stream?: string;
}

/** Which events a reader gets, and in what form; readers with the same key share what is encoded for them. */
export interface Selection {
  readonly key: string;
  readonly view: View;
  readonly stream: string | undefined;
  /** Types outside of which nothing is taken; undefined for all. */
  readonly types: readonly string[] | undefined;
  takes(event: LiveEvent): boolean;
}

/**
 * What a principal may follow (spec/api.md, GET /events/tail): auditor, admin and operator everything, redacted; an agent
 * the negotiations that ask it.
 * @throws MaceError PERMISSION_DENIED for everybody else
 */
export function selectionOf(principal: Principal, { types, stream }: TailFilter): Selection {
  const view: View = isAuditing(principal) ? 'auditing' : 'plain';
  const seesAll = view === 'auditing' || hasRole(principal, 'operator');
  if (!seesAll && !hasRole(principal, 'agent')) {
    throw new MaceError('PERMISSION_DENIED', 'events are followed by agent, operator, auditor, admin');
  }
  const asked = seesAll ? undefined : principal.id;
  const wanted = types && [...new Set(types)].sort();
  const among = asked === undefined ? wanted : NEGOTIATION_EVENT_TYPES.filter((type) => wanted?.includes(type) ?? true);
  const names = among && new Set(among);
  return {
    key: JSON.stringify([view, asked ?? null, wanted ?? null, stream ?? null]),
    view,
    stream,
    types: among,
    takes: (event) =>
      (names?.has(event.type) ?? true) &&
      (stream === undefined || event.stream === stream) &&
      (asked === undefined || event.asked.includes(asked)),
  };
}
