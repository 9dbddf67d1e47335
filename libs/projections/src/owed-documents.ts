import type { Change, Checkpoint, Generation, ReadStore } from '#lib/read-store';

import { refusalOf } from './errors.js';
import { keptOwed, owedIn, type OwedEvent } from './owed-event.js';

/** What becomes of one that is owed: it is so from now on, or is not any more. */
export interface OwedChange {
  readonly id: string;
  readonly event: OwedEvent | undefined;
}

const EVENTS = 'events';
const PAGE = 1000;

/**
 * The events that a reactor owes, a document each, so that a change costs what has changed. Nobody owns them: a process
 * that was taken over adds what is answered once more, or takes away what it has answered, and does no harm by either.
 */
export class OwedDocuments {
  private readonly generation: Generation;
  /** Where they are written from; undefined before there were any. */
  private at: Checkpoint | undefined;

  constructor(
    private readonly documents: ReadStore,
    reactor: string,
  ) {
    this.generation = { projection: reactor, name: 'owed' };
  }

  /** By their ids; undefined under the id of what is no event. */
  async read(): Promise<Map<string, OwedEvent | undefined>> {
    const found = new Map<string, OwedEvent | undefined>();
    this.at = (await this.documents.checkpoint(this.generation)) ?? undefined;
    if (!this.at) return found;
    for (let cursor: string | null = ''; cursor !== null;) {
      const from: { cursor?: string } = cursor === '' ? {} : { cursor };
      const page = await this.documents.find(this.generation, EVENTS, { limit: PAGE, ...from });
      for (const { id, body } of page.documents) found.set(id, owedIn(id, body));
      cursor = page.next;
    }
    return found;
  }

  async write(changed: readonly OwedChange[]): Promise<void> {
    if (changed.length === 0) return;
    const from = (this.at ??= await this.begin());
    const changes = changed.map(({ id, event }): Change => {
      const what = { collection: EVENTS, id };
      return event ? { op: 'put', ...what, body: keptOwed(event) } : { op: 'delete', ...what };
    });
    const outcome = await this.documents.apply(this.generation, { changes, from, to: from.position });
    if (outcome === 'fenced') throw await refusalOf(this.documents, this.generation, from);
  }

  private async begin(): Promise<Checkpoint> {
    await this.documents.prepare(this.generation, [{ name: EVENTS, indexes: [] }]);
    return (await this.documents.checkpoint(this.generation))!;
  }
}
