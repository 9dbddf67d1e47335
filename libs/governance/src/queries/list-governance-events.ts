import { Query, QueryHandler, type IQueryHandler } from '@nestjs/cqrs';

import type { Principal } from '#lib/access';
import { EventLog, isErased, type LoggedEvent } from '#lib/event-store';
import type { Json, JsonObject } from '#lib/kernel';

import { ActionRequests, notFound } from '../action-requests.js';
import { actionRequestEvents } from '../domain/action-requests.events.js';
import { policyStream } from '../domain/policy.events.js';
import { Policies } from '../policies.js';
import { sightOf } from '../request-sight.js';
import { REDACTED } from '../request-view.js';

/** An event as those who may see it see it. */
export interface GovernanceEvent {
  readonly event_id: string;
  readonly type: string;
  readonly stream: string;
  readonly revision: number;
  readonly position: string;
  readonly timestamp_seeded: string;
  readonly signed_by: string;
  readonly data: JsonObject;
}

/** Every event of a request, by its request_id; or of a policy, by its name. */
export class ListGovernanceEvents extends Query<readonly GovernanceEvent[]> {
  constructor(
    readonly principal: Principal,
    readonly id: string,
  ) {
    super();
  }
}

const PERSONAL = new Map(actionRequestEvents.map(({ type, personal = [] }) => [type, personal]));

@QueryHandler(ListGovernanceEvents)
export class ListGovernanceEventsHandler implements IQueryHandler<ListGovernanceEvents> {
  constructor(
    private readonly log: EventLog,
    private readonly requests: ActionRequests,
    private readonly policies: Policies,
  ) {}

  /** @throws MaceError NOT_FOUND */
  async execute({ principal, id }: ListGovernanceEvents): Promise<readonly GovernanceEvent[]> {
    if (this.policies.forms.names.some((name) => name === id)) {
      const { events } = await this.log.load(policyStream(id));
      return events.map((event) => shown(event, true));
    }
    const events = await this.requests.events(id);
    const sight = sightOf(principal, events[0]!.data['requested_by'] as string);
    if (sight === 'none') throw notFound(id);
    return events.map((event) => shown(event, sight === 'plain'));
  }
}

function shown(event: LoggedEvent, plain: boolean): GovernanceEvent {
  const { type, stream, revision, position, metadata } = event;
  const { event_id, timestamp_seeded, actor } = metadata;
  const personal = PERSONAL.get(type) ?? [];
  const field = ([name, value]: [string, Json]): [string, Json] => {
    if (!personal.includes(name)) return [name, !plain && name === 'payload' ? REDACTED : value];
    return [name, isErased(value) ? '[erased]' : plain ? value : REDACTED];
  };
  const data = Object.fromEntries(Object.entries(event.data).map(field));
  return { event_id, type, stream, revision, position, timestamp_seeded, signed_by: actor.id, data };
}
