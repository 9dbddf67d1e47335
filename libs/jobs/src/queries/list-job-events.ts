import { Query, QueryHandler, type IQueryHandler } from '@nestjs/cqrs';

import { type CommandContext, hasRole } from '#lib/access';
import { redactedData, shownData, withoutPiiHashes } from '#lib/audit';
import { EventLog, type LoggedEvent, type RecordedTime, recordedTime } from '#lib/event-store';
import { EventRegistry, type JsonObject } from '#lib/kernel';

import { checkJobForm, checkStoredForms } from '../domain/job-forms.js';
import { jobStream } from '../domain/jobs.events.js';
import { JobDesk } from '../job-desk.js';
import { jobNotFound, type JobSight, refuseOthers, sightOf } from './job-access.js';
import { pageOf } from './page.js';

/** One event as a list shows it. */
export interface EventView extends RecordedTime {
  readonly stream: string;
  readonly revision: number;
  readonly position: string;
  readonly event_id: string;
  readonly type: string;
  readonly sequence_index: number;
  readonly timestamp_seeded: string;
  readonly actor: { readonly id: string; readonly role: string };
  readonly signed_by: string;
  readonly causation_id: string | null;
  /** sha256 of the stored text: prev_hash of the event after it. */
  readonly hash: string;
  /** In plain for the owner, and for who asks for that and may; for all others with [redacted] in place of personal fields. */
  readonly data: JsonObject;
}

export interface EventPage {
  readonly items: readonly EventView[];
  readonly next_cursor: string | null;
}

/** The events of a job, in order, a page at a time. */
export class ListJobEvents extends Query<EventPage> {
  constructor(
    readonly ctx: CommandContext,
    readonly jobId: string,
    readonly limit: number,
    readonly cursor: string | undefined,
    /** For an auditor or admin: with what was said. */
    readonly unredacted?: boolean,
  ) {
    super();
  }
}

@QueryHandler(ListJobEvents)
export class ListJobEventsHandler implements IQueryHandler<ListJobEvents> {
  constructor(
    private readonly log: EventLog,
    private readonly desk: JobDesk,
    private readonly registry: EventRegistry,
  ) {}

  /** @throws MaceError NOT_FOUND, INVALID_INPUT; IntegrityError where the stream does not verify, for whoever may see it */
  async execute({ ctx, jobId, limit, cursor, unredacted }: ListJobEvents): Promise<EventPage> {
    await refuseOthers(this.log, jobId, ctx);
    const { events, head } = await this.log.load(jobStream(jobId));
    const first = events[0];
    if (!first) throw jobNotFound(jobId);
    checkStoredForms(jobStream(jobId), events);
    const sight = await this.sightOf(events, jobId, ctx, unredacted);
    const page = pageOf(events, limit, cursor);
    const items = page.items.map(async (event): Promise<EventView> => {
      const data =
        sight === 'owner'
          ? shownData((await this.log.codec.reveal(event)).data)
          : redactedData(this.registry.get(event.type)!, event.data);
      const hash = events[event.revision + 1]?.metadata.prev_hash ?? head.lastHash;
      return viewOf(event, hash, seesPiiHashes(ctx) ? data : withoutPiiHashes(data));
    });
    return { items: await Promise.all(items), next_cursor: page.next_cursor };
  }

  /** Only where events are to be shown in plain is looked whether they may be. */
  private async sightOf(
    events: readonly LoggedEvent[],
    jobId: string,
    ctx: CommandContext,
    unredacted = false,
  ): Promise<JobSight> {
    const sight = sightOf(events[0]!.data['user_id'], jobId, ctx);
    if (sight !== 'owner' && !unredacted) return sight;
    const outputs = events.filter(({ type }) => type === 'AGENT_OUTPUT');
    const plain = await Promise.all(outputs.map((event) => this.log.codec.reveal(event)));
    for (const event of plain) checkJobForm(event);
    return this.desk.sightOf({ events: [events[0]!, ...plain] }, jobId, ctx, unredacted);
  }
}

function viewOf(event: LoggedEvent, hash: string, data: JsonObject): EventView {
  const { stream, revision, position, type, metadata } = event;
  return {
    stream,
    revision,
    position,
    event_id: metadata.event_id,
    type,
    sequence_index: metadata.sequence_index,
    timestamp_seeded: metadata.timestamp_seeded,
    ...recordedTime(event),
    actor: metadata.actor,
    signed_by: metadata.actor.id,
    causation_id: metadata.$causationId ?? null,
    hash,
    data,
  };
}

/** A pii_hash lets whoever guesses a value confirm it with the key: admin and auditor only (spec/privacy.md). */
function seesPiiHashes({ principal }: CommandContext): boolean {
  return hasRole(principal, 'admin') || hasRole(principal, 'auditor');
}
