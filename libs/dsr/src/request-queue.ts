import { type CommandContext, hasRole, personOf, type Principal } from '#lib/access';
import { placed, type PlacedRow, type ReadModel } from '#lib/projections';
import type { Condition } from '#lib/read-store';

import type { DsrStatus } from './domain/dsr.js';
import { DSR_COLLECTION, type DsrRow } from './read-models/dsr.projection.js';

export interface DsrQuery {
  readonly state?: DsrStatus;
  readonly limit: number;
  readonly cursor?: string;
}

/** One page of requests, oldest first, as of the position that the read model has reached. */
export interface DsrPage {
  readonly items: readonly PlacedRow<DsrRow>[];
  readonly next_cursor: string | null;
  readonly position: string;
}

const MOST_COUNTED = 200;

/** The queue of requests, as far as its read model is: what is due first stands first (spec/privacy.md). */
export class DsrQueue {
  constructor(private readonly model: Pick<ReadModel, 'find' | 'position'>) {}

  /**
   * Of all people for admins and the council; one's own for everybody else.
   * @throws MaceError INVALID_INPUT for a cursor that is none
   */
  page({ principal }: Pick<CommandContext, 'principal'>, { state, ...page }: DsrQuery): Promise<DsrPage> {
    const where: Condition[] = state === undefined ? [] : [{ field: 'status', equals: state }];
    return this.find(mayDecide(principal) ? where : [...where, ofPerson(personOf(principal))], page);
  }

  /** @throws MaceError INVALID_INPUT for a cursor that is none */
  ofPerson(person: string, page: Omit<DsrQuery, 'state'>): Promise<DsrPage> {
    return this.find([ofPerson(person)], page);
  }

  /** How many deletions wait for a decision that this principal may take; at most 200 are counted. */
  async waiting(principal: Principal): Promise<number> {
    if (!mayDecide(principal)) return 0;
    const where: Condition[] = [{ field: 'status', equals: 'waiting_for_approval' }];
    return (await this.model.find(DSR_COLLECTION.name, { where, limit: MOST_COUNTED })).documents.length;
  }

  private async find(where: readonly Condition[], page: Omit<DsrQuery, 'state'>): Promise<DsrPage> {
    const position = await this.model.position();
    const { documents, next } = await this.model.find(DSR_COLLECTION.name, {
      where,
      sort: { field: 'position' },
      ...page,
    });
    return { items: documents.map(({ body }) => placed(body as unknown as DsrRow)), next_cursor: next, position };
  }
}

function ofPerson(person: string): Condition {
  return { field: 'user_id', equals: person };
}

function mayDecide(principal: Principal): boolean {
  return hasRole(principal, 'admin') || hasRole(principal, 'council');
}
