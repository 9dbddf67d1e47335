import type { EventStore } from '#lib/event-store';
import type { ProjectionHost, ReadModel } from '#lib/projections';
import type { Condition } from '#lib/read-store';

import { AUDIT, AUDIT_COLLECTION, type AuditRow } from './read-models/audit.projection.js';

export interface AuditFilter {
  readonly stream?: string;
  readonly type?: string;
  /** Only events at this position of the log or after it. */
  readonly from?: number;
  readonly limit: number;
  readonly cursor?: string;
}

export interface RowPage {
  readonly rows: readonly AuditRow[];
  readonly next: string | null;
  /** Everything up to here is in the list. */
  readonly position: string;
}

/** Finds events by id and in lists, as far as their read model is; one just written is waited for. */
export class AuditIndex {
  constructor(
    private readonly model: ReadModel,
    private readonly host: ProjectionHost,
    private readonly events: EventStore,
  ) {}

  async find(eventId: string): Promise<AuditRow | null> {
    const known = await this.model.get(AUDIT_COLLECTION.name, eventId);
    if (known) return known.body as unknown as AuditRow;
    await this.host.waitFor(await this.events.head(), [AUDIT.name]);
    const found = await this.model.get(AUDIT_COLLECTION.name, eventId);
    return found && (found.body as unknown as AuditRow);
  }

  /** In the order of the log. @throws MaceError INVALID_INPUT for a cursor that no such list gave */
  async page({ stream, type, from, limit, cursor }: AuditFilter): Promise<RowPage> {
    const position = this.host.runner(AUDIT.name).status.position ?? '0';
    const where: Condition[] = [];
    if (stream !== undefined) where.push({ field: 'stream', equals: stream });
    if (type !== undefined) where.push({ field: 'type', equals: type });
    if (from !== undefined) where.push({ field: 'position', from });
    const sort = { field: 'position' };
    const options = { where, sort, limit, ...(cursor === undefined ? {} : { cursor }) };
    const { documents, next } = await this.model.find(AUDIT_COLLECTION.name, options);
    return { rows: documents.map(({ body }) => body as unknown as AuditRow), next, position };
  }
}
