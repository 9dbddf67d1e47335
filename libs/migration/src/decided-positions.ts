import { type EventStore, START } from '#lib/event-store';
import { EVENT_DISCARDED, EVENT_PARKED, EVENT_REPLAYED, EVENT_SKIPPED, type EventAside } from '#lib/projections';

import { MigrationError } from './migration-error.js';

const PAGE = 1000;
const TYPES = [EVENT_PARKED, EVENT_REPLAYED, EVENT_DISCARDED, EVENT_SKIPPED];

/**
 * A read model that is made without some events names them by their positions, which are other ones in another store: there
 * it would be made without others.
 * @throws MigrationError naming the first of them
 */
export async function refuseDecidedPositions(events: EventStore): Promise<void> {
  const standing = new Map<string, { readonly type: string } & EventAside>();
  for (let after = START; ;) {
    const page = await events.readAll({ after, limit: PAGE, types: TYPES });
    for (const { type, text } of page.events) {
      const { data } = JSON.parse(text) as { readonly data: EventAside };
      const key = `${data.projection} ${data.position}`;
      if (type === EVENT_REPLAYED) standing.delete(key);
      else standing.set(key, { type, ...data });
    }
    if (page.atHead) break;
    after = page.scannedTo;
  }
  const [first] = standing.values();
  if (!first) return;
  const { projection, position, event_id, type } = first;
  const remedy =
    type === EVENT_PARKED
      ? `Apply it first: \`mace projections replay ${projection}\``
      : 'A log in which that was decided cannot be moved by this release';
  throw new MigrationError(
    `the read model ${projection} is made without event ${event_id}, by its position ${position}, which is another one in the target. ${remedy}`,
  );
}
