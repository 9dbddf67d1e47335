import { Query, QueryHandler, type IQueryHandler } from '@nestjs/cqrs';

import type { CommandContext } from '#lib/access';
import { EventLog } from '#lib/event-store';
import { sha256Hex, type JsonObject } from '#lib/kernel';

import { jobStream } from '../domain/jobs.events.js';
import { jobNotFound, sightOf } from './job-access.js';

/** One event as a list shows it. */
export interface EventView {
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
  /** In plain for the owner; with personal fields as stored for all others. */
  readonly data: JsonObject;
}

/** Every event of a job. */
export class ListJobEvents extends Query<readonly EventView[]> {
  constructor(
    readonly ctx: CommandContext,
    readonly jobId: string,
  ) {
    super();
  }
}

/** More events than a job of MAX_ITERATIONS with repairs can have. */
const MAX_EVENTS = 4096;

@QueryHandler(ListJobEvents)
export class ListJobEventsHandler implements IQueryHandler<ListJobEvents> {
  constructor(private readonly log: EventLog) {}

  async execute({ ctx, jobId }: ListJobEvents): Promise<readonly EventView[]> {
    const { events } = await this.log.store.readStream(jobStream(jobId), { limit: MAX_EVENTS });
    const first = events[0];
    if (!first) throw jobNotFound(jobId);
    const sight = sightOf(this.log.codec.decode(first).data['user_id'], jobId, ctx);
    return Promise.all(
      events.map(async (recorded) => {
        const event = sight === 'owner' ? await this.log.codec.decodePlain(recorded) : this.log.codec.decode(recorded);
        const { metadata } = event;
        return {
          stream: event.stream,
          revision: event.revision,
          position: event.position,
          event_id: metadata.event_id,
          type: event.type,
          sequence_index: metadata.sequence_index,
          timestamp_seeded: metadata.timestamp_seeded,
          actor: metadata.actor,
          signed_by: metadata.actor.id,
          causation_id: metadata.$causationId ?? null,
          hash: sha256Hex(recorded.text),
          data: event.data,
        };
      }),
    );
  }
}
