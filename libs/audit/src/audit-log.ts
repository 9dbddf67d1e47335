import { type CommandContext, personOf } from '#lib/access';
import { type EventLog, IntegrityError, type LoggedEvent, type RecordedEvent } from '#lib/event-store';
import { type EventRegistry, GENESIS_HASH, type JsonObject, MaceError, sha256Hex } from '#lib/kernel';

import { seesUnredacted } from './access-record.js';
import { type AuditEvent, auditEvent, isAuditing, type VerifiedEvent } from './audit-event.js';
import type { AuditFilter, AuditIndex, AuditRow } from './audit-index.js';
import { redactedData, REVOKED_TEXT, shownData, subjectOf } from './domain/redaction.js';

export interface AuditPage {
  readonly items: readonly AuditEvent[];
  readonly next_cursor: string | null;
  /** Everything up to here is in the list. */
  readonly position: string;
}

/** Which events of a stream: from a revision on, or where the page before ended. */
export interface StreamPart extends Pick<AuditFilter, 'limit' | 'cursor'> {
  readonly from_revision?: number;
}

export interface Looking {
  readonly unredacted?: boolean;
  /** Adds each event's stored text. */
  readonly stored?: boolean;
}

/**
 * Whether what an event says of a person may still be told: what was stored under a consent that has ended may not, to
 * nobody. The event is in plain; `now` is when it is asked for, milliseconds since the Unix epoch.
 */
export type Standing = (event: LoggedEvent, subject: string, now: number) => Promise<boolean>;

const PREVIEW = 80;

/** Every event there is, for those who may look, without what was said unless that they ask is recorded first. */
export class AuditLog {
  constructor(
    private readonly log: EventLog,
    private readonly registry: EventRegistry,
    private readonly index: AuditIndex,
    private readonly standing: Standing,
  ) {}

  /**
   * One event, for whoever caused it, for the owner of its job, and for auditors and admins.
   * @throws MaceError NOT_FOUND (also for what is another's), PERMISSION_DENIED where others than auditors and admins ask
   * for it unredacted; IntegrityError
   */
  async event(ctx: CommandContext, eventId: string, { unredacted }: Looking = {}): Promise<AuditEvent> {
    const row = await this.index.find(eventId);
    // Also where there is none a job is looked for: the refusal takes the same time.
    const isTheirs = await this.mayRead(ctx, row ?? { actor: '', stream: JOB_STREAM + eventId });
    if (!row || !isTheirs) {
      throw new MaceError('NOT_FOUND', `no event ${eventId.slice(0, PREVIEW)} of yours`);
    }
    const plain = await seesUnredacted(this.log, ctx, unredacted, `event/${eventId}`);
    return this.view(ctx, row, { unredacted: plain });
  }

  /** Events of the log in its order. @throws MaceError INVALID_INPUT, NOT_FOUND for a stream without events; IntegrityError */
  async events(ctx: CommandContext, filter: AuditFilter, { unredacted, stored = false }: Looking): Promise<AuditPage> {
    const { rows, next, position } = await this.index.page(filter);
    const { stream = '*', type = '*', from = 0 } = filter;
    const plain = await seesUnredacted(this.log, ctx, unredacted, `events/${stream}/${type}/${from}`, 'list');
    const items = await Promise.all(rows.map((row) => this.view(ctx, row, { unredacted: plain, stored })));
    return { items, next_cursor: next, position };
  }

  /**
   * Events of one stream as it stands now, in order.
   * @throws MaceError NOT_FOUND for a stream without events, INVALID_INPUT for a cursor that no such list gave
   */
  async stream(
    ctx: CommandContext,
    stream: string,
    { limit, cursor, from_revision = 0 }: StreamPart,
    { unredacted, stored = false }: Looking,
  ): Promise<AuditPage> {
    const from = cursor === undefined ? from_revision : revisionOf(cursor);
    const slice = await this.log.store.readStream(stream, { from, limit });
    if (slice.version === 0) throw new MaceError('NOT_FOUND', `no stream ${stream.slice(0, PREVIEW)}`);
    const plain = await seesUnredacted(this.log, ctx, unredacted, `stream/${stream}`, 'list');
    const position = await this.log.store.head();
    const items: AuditEvent[] = [];
    let before = await this.hashBefore(stream, from);
    for (const recorded of slice.events) {
      items.push(await this.opened(ctx, recorded, before, { unredacted: plain, stored }));
      before = sha256Hex(recorded.text);
    }
    const end = from + slice.events.length;
    return { items, next_cursor: end < slice.version ? String(end) : null, position };
  }

  /**
   * A stored event, once it is what was signed to follow the event before it.
   * @param before hash of the event before it in its stream; GENESIS_HASH for the first
   * @throws IntegrityError; NewerEventError for what a newer release signed
   */
  verified(recorded: RecordedEvent, before: string): VerifiedEvent {
    const { hash, event } = this.log.codec.open(recorded, before);
    return { recorded, hash, event, definition: this.registry.get(event.type)! };
  }

  private async mayRead(ctx: CommandContext, row: Pick<AuditRow, 'actor' | 'stream'>): Promise<boolean> {
    const { principal } = ctx;
    if (isAuditing(principal) || row.actor === principal.id) return true;
    return row.stream.startsWith(JOB_STREAM) && (await this.ownerOfJob(row.stream)) === personOf(principal);
  }

  private async ownerOfJob(stream: string): Promise<unknown> {
    const [first] = (await this.log.store.readStream(stream, { limit: 1 })).events;
    // By a row that nobody signed, a job would be whosever it says.
    return first && this.log.codec.signedAlone(first)?.data['user_id'];
  }

  private async view(ctx: CommandContext, { stream, revision }: AuditRow, looking: Looking): Promise<AuditEvent> {
    const from = Math.max(0, revision - 1);
    const { events } = await this.log.slice(stream, from, revision - from + 1);
    const recorded = events.at(-1);
    if (recorded?.revision !== revision) throw new IntegrityError(stream, revision, 'it is gone from its stream');
    const before = revision === 0 ? GENESIS_HASH : sha256Hex(events[0]!.text);
    return this.opened(ctx, recorded, before, looking);
  }

  private async hashBefore(stream: string, revision: number): Promise<string> {
    if (revision === 0) return GENESIS_HASH;
    const { events } = await this.log.store.readStream(stream, { from: revision - 1, limit: 1 });
    return events[0] ? sha256Hex(events[0].text) : GENESIS_HASH;
  }

  private async opened(
    ctx: CommandContext,
    recorded: RecordedEvent,
    before: string,
    { unredacted = false, stored = false }: Looking,
  ): Promise<AuditEvent> {
    const opened = this.verified(recorded, before);
    const data = unredacted ? await this.plain(ctx, opened) : undefined;
    return auditEvent(opened, {
      seesPiiHashes: isAuditing(ctx.principal),
      ...(data ? { plain: data } : {}),
      ...(stored ? { stored } : {}),
    });
  }

  private async plain({ now }: CommandContext, { definition, event }: VerifiedEvent): Promise<JsonObject> {
    const subject = subjectOf(definition, event.data);
    const revealed = await this.log.codec.reveal(event);
    const stands = subject === null || (await this.standing(revealed, subject, now));
    return stands ? shownData(revealed.data) : redactedData(definition, event.data, REVOKED_TEXT);
  }
}

const JOB_STREAM = 'job-';

/** @throws MaceError INVALID_INPUT */
function revisionOf(cursor: string): number {
  if (!/^[1-9]\d{0,8}$/.test(cursor)) {
    throw new MaceError('INVALID_INPUT', 'query.cursor: next_cursor of the page before');
  }
  return Number(cursor);
}
