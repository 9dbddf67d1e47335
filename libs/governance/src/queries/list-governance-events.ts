import { Query, QueryHandler, type IQueryHandler } from '@nestjs/cqrs';

import type { CommandContext } from '#lib/access';
import {
  comparePositions,
  EventLog,
  isErased,
  type LoggedEvent,
  type Position,
  positionOf,
  type RecordedTime,
  recordedTime,
} from '#lib/event-store';
import { MaceError, type Json, type JsonObject, type PageAfter, pageAfter, type PageRequest } from '#lib/kernel';

import { ActionRequests, notFound } from '../action-requests.js';
import { actionRequestEvents } from '../domain/action-requests.events.js';
import { policyStream } from '../domain/policy.events.js';
import { Policies } from '../policies.js';
import { sightFor } from '../request-sight.js';
import { REDACTED } from '../request-view.js';
import { Snapshots } from '../snapshots.js';

/** An event as those who may see it see it. */
export interface GovernanceEvent extends RecordedTime {
  readonly event_id: string;
  readonly type: string;
  readonly stream: string;
  readonly revision: number;
  readonly position: string;
  readonly timestamp_seeded: string;
  readonly signed_by: string;
  readonly data: JsonObject;
}

/** What a policy says. */
export interface PolicyInForce {
  readonly snapshot_id: string;
  readonly body: JsonObject;
}

export interface GovernanceHistory extends PageAfter<GovernanceEvent> {
  /** Of a policy, after the last of its events; null of a request, and where there was no policy yet. */
  readonly in_force: PolicyInForce | null;
}

/** Events of a request, by its request_id; or of a policy, by its name, with what it says after the last of them. */
export class ListGovernanceEvents extends Query<GovernanceHistory> {
  constructor(
    readonly ctx: CommandContext,
    readonly id: string,
    readonly page: PageRequest,
    /** Only up to the event at this position. */
    readonly asOf?: string,
    readonly unredacted?: boolean,
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
    private readonly snapshots: Snapshots,
  ) {}

  /**
   * @throws MaceError NOT_FOUND, INVALID_INPUT for a position that nothing has reached yet and for a cursor that is none;
   * RateLimitedError where too many such reads of the principal wait
   */
  async execute({ ctx, id, page, asOf, unredacted }: ListGovernanceEvents): Promise<GovernanceHistory> {
    const upTo = await this.until(asOf);
    if (this.policies.forms.names.some((name) => name === id)) {
      const { events, last } = await this.policyPage(id, page, upTo, ctx);
      const snapshot = typeof last === 'string' ? await this.snapshots.load(last) : null;
      const in_force = snapshot && { snapshot_id: snapshot.snapshot_id, body: snapshot.body };
      return { ...pageOf(events, page, true), in_force };
    }
    const events = await this.requests.events(id);
    const asked = { requestId: id, unredacted };
    const sight = await sightFor(this.log, ctx, events[0]!.data['requested_by'] as string, asked);
    if (sight === 'none') throw notFound(id);
    const past = upTo === undefined ? events : events.filter(({ position }) => comparePositions(position, upTo) <= 0);
    return { ...pageOf(past, page, sight === 'plain'), in_force: null };
  }

  /** The event that the cursor names, those of the page, and one more; the rest is passed by. */
  private async policyPage(
    id: string,
    { limit, cursor }: PageRequest,
    upTo: Position | undefined,
    ctx: CommandContext,
  ) {
    const events: LoggedEvent[] = [];
    let last: Json | undefined;
    const take = (event: LoggedEvent): void => {
      last = event.data['snapshot_id'];
      const isFrom = events.length > 0 || cursor === undefined || event.position === cursor;
      if (isFrom && events.length < limit + 2) events.push(event);
    };
    const reading = upTo === undefined ? {} : { upTo };
    await this.log.histories.run(ctx.principal.id, () => this.log.each(policyStream(id), reading, take));
    return { events, last };
  }

  private async until(asOf: string | undefined): Promise<Position | undefined> {
    if (asOf === undefined) return undefined;
    const limit = positionOf(asOf);
    if (comparePositions(limit, await this.log.store.head()) > 0) {
      throw new MaceError('INVALID_INPUT', `as_of: nothing has reached position ${asOf} yet`);
    }
    return limit;
  }
}

function pageOf(events: readonly LoggedEvent[], page: PageRequest, plain: boolean): PageAfter<GovernanceEvent> {
  const { items, next_cursor } = pageAfter(events, ({ position }) => position, page);
  return { items: items.map((event) => shown(event, plain)), next_cursor };
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
  const times = { timestamp_seeded, ...recordedTime(event) };
  return { event_id, type, stream, revision, position, ...times, signed_by: actor.id, data };
}
