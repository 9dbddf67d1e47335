import { type DueTime, dueTimes, placedAsOfOld, type ReadModel, type RowOfOld } from '#lib/projections';
import type { Condition } from '#lib/read-store';

import {
  ASKED_COLLECTION,
  NEGOTIATIONS_COLLECTION,
  type NegotiationRow,
} from './read-models/negotiations.projection.js';

/** One page of negotiations, newest first, as of the position that the read model has reached. */
export interface NegotiationPage {
  readonly items: readonly RowOfOld<NegotiationRow>[];
  readonly next_cursor: string | null;
  readonly position: string;
}

export interface NegotiationFilter {
  readonly status?: string;
  /** Only what this principal is asked as a critic. */
  readonly critic?: string;
  /** Only what this principal proposed. */
  readonly producer?: string;
  readonly limit: number;
  readonly cursor?: string;
}

/** Lists of negotiations, as far as the projection is. */
export class NegotiationList {
  constructor(private readonly model: Pick<ReadModel, 'find' | 'get' | 'position'>) {}

  /** @throws MaceError INVALID_INPUT for a limit or cursor that cannot be */
  async page({ status, critic, producer, limit, cursor }: NegotiationFilter): Promise<NegotiationPage> {
    const position = await this.model.position();
    const collection = critic === undefined ? NEGOTIATIONS_COLLECTION.name : ASKED_COLLECTION.name;
    const where: Condition[] =
      critic === undefined
        ? [...equal('status', status), ...equal('producer_principal', producer)]
        : equal('critic_principal', critic);
    const found = await this.model.find(collection, {
      where,
      sort: { field: 'position', descending: true },
      limit,
      ...(cursor === undefined ? {} : { cursor }),
    });
    const rows =
      critic === undefined
        ? found.documents.map(({ body }) => body as unknown as NegotiationRow)
        : await this.rows(found.documents.map(({ body }) => body['artifact_id'] as string));
    // Of what a critic is asked, the status is looked at after the page is found: a page may be shorter than its limit.
    const items = critic === undefined || status === undefined ? rows : rows.filter((row) => row.status === status);
    return { items: items.map(placedAsOfOld), next_cursor: found.next, position };
  }

  /** Everything whose window is open, the earliest to close first. */
  open(): AsyncIterable<DueTime> {
    return dueTimes(this.model, NEGOTIATIONS_COLLECTION.name);
  }

  /** How many windows are open, as far as the projection is. */
  async countOpen(): Promise<number> {
    let count = 0;
    for await (const _ of this.open()) count++;
    return count;
  }

  private async rows(artifacts: readonly string[]): Promise<readonly NegotiationRow[]> {
    const found = await Promise.all(artifacts.map((id) => this.model.get(NEGOTIATIONS_COLLECTION.name, id)));
    return found.flatMap((document) => (document ? [document.body as unknown as NegotiationRow] : []));
  }
}

function equal(field: string, value: string | undefined): Condition[] {
  return value === undefined ? [] : [{ field, equals: value }];
}
