import type { ReadModel } from '#lib/projections';
import type { Condition } from '#lib/read-store';

import { AUDIT_COLLECTION, type AuditKind, type AuditTrailRow } from './read-models/audit.projection.js';

/** One page of the trail, newest first, as of the position that the read model has reached. */
export interface AuditTrailPage {
  readonly items: readonly (Omit<AuditTrailRow, 'position'> & { readonly position: string })[];
  readonly next_cursor: string | null;
  readonly position: string;
}

export interface AuditTrailFilter {
  readonly kind?: AuditKind;
  readonly type?: string;
  /** Normal form of a principal. */
  readonly actor?: string;
  readonly limit: number;
  readonly cursor?: string;
}

/** Lists of who did what with which right, as far as the projection is; the log has every event, and is never behind. */
export class AuditTrail {
  constructor(private readonly model: Pick<ReadModel, 'find' | 'position'>) {}

  /** @throws MaceError INVALID_INPUT for a cursor that is none */
  async page({ kind, type, actor, limit, cursor }: AuditTrailFilter): Promise<AuditTrailPage> {
    const equal = (field: string, value: string | undefined): Condition[] =>
      value === undefined ? [] : [{ field, equals: value }];
    const reached = await this.model.position();
    const { documents, next } = await this.model.find(AUDIT_COLLECTION.name, {
      where: [...equal('kind', kind), ...equal('type', type), ...equal('actor_id', actor)],
      sort: { field: 'position', descending: true },
      limit,
      ...(cursor === undefined ? {} : { cursor }),
    });
    const items = documents.map(({ body }) => {
      const row = body as unknown as AuditTrailRow;
      return { ...row, position: String(row.position) };
    });
    return { items, next_cursor: next, position: reached };
  }
}
