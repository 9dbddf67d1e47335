import { Query, QueryHandler, type IQueryHandler } from '@nestjs/cqrs';

import { type CommandContext, hasRole } from '#lib/access';
import { redactedData, shownData, withoutPiiHashes } from '#lib/audit';
import { EventLog, type LoggedEvent, type RecordedTime, recordedTime } from '#lib/event-store';
import { EventRegistry, GENESIS_HASH, type JsonObject } from '#lib/kernel';

import { checkJobForm, checkStoredForm } from '../domain/job-forms.js';
import { jobStream } from '../domain/jobs.events.js';
import { JobDesk } from '../job-desk.js';
import { jobNotFound, type JobSight, refuseOthers, sightOf } from './job-access.js';
import { placeOf } from './page.js';

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
    /** Only events of this type. */
    readonly type?: string,
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

  /**
   * Reads from where the page begins until it is full.
   * @throws MaceError NOT_FOUND, INVALID_INPUT; IntegrityError where what is read does not verify, for whoever may see it
   */
  async execute({ ctx, jobId, limit, cursor, unredacted, type }: ListJobEvents): Promise<EventPage> {
    const from = placeOf(cursor);
    await refuseOthers(this.log, jobId, ctx);
    const sight = await this.sightOf(jobId, ctx, unredacted);
    const found: { readonly event: LoggedEvent; readonly hash: string }[] = [];
    let next: number | null = null;
    await this.log.each(jobStream(jobId), { from }, (event, hash) => {
      if (found.length === limit) {
        next = event.revision;
        return 'enough';
      }
      checkStoredForm(event);
      if (type === undefined || event.type === type) found.push({ event, hash });
      return undefined;
    });
    const items = found.map(async ({ event, hash }): Promise<EventView> => {
      const data =
        sight === 'owner'
          ? shownData((await this.log.codec.reveal(event)).data)
          : redactedData(this.registry.get(event.type)!, event.data);
      return viewOf(event, hash, seesPiiHashes(ctx) ? data : withoutPiiHashes(data));
    });
    return { items: await Promise.all(items), next_cursor: next === null ? null : String(next) };
  }

  /** Only where events are to be shown in plain is looked whether they may be, by all that was said. */
  private async sightOf(jobId: string, ctx: CommandContext, unredacted = false): Promise<JobSight> {
    const stored = await this.log.first(jobStream(jobId));
    if (!stored) throw jobNotFound(jobId);
    const first = this.log.codec.open(stored, GENESIS_HASH).event;
    const sight = sightOf(first.data['user_id'], jobId, ctx);
    if (sight !== 'owner' && !unredacted) return sight;
    const { events } = await this.log.load(jobStream(jobId));
    const outputs = events.filter(({ type }) => type === 'AGENT_OUTPUT');
    const plain = await Promise.all(outputs.map((event) => this.log.codec.reveal(event)));
    for (const event of plain) checkJobForm(event);
    return this.desk.sightOf({ events: [first, ...plain] }, jobId, ctx, unredacted);
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
