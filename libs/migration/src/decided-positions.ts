import { type EventStore, START } from '#lib/event-store';
import { EVENT_DISCARDED, EVENT_PARKED, EVENT_REPLAYED, EVENT_SKIPPED, type EventAside } from '#lib/projections';

import { MigrationError } from './migration-error.js';

const PAGE = 1000;
const TYPES = [EVENT_PARKED, EVENT_REPLAYED, EVENT_DISCARDED, EVENT_SKIPPED];

interface Standing extends EventAside {
  readonly type: string;
  /** Of a discarded one, up to where its partition was given up. */
  readonly through?: string;
}

/**
 * Positions of events without which read models are made, each as it stands in the log.
 * @throws MigrationError naming the first that is parked: what waits behind it is not decided on yet
 */
export async function setAsidePositions(events: EventStore): Promise<readonly string[]> {
  const standing = await standingIn(events);
  const parked = standing.find(({ type }) => type === EVENT_PARKED);
  if (parked) {
    const { projection, position, event_id } = parked;
    throw new MigrationError(
      `the read model ${projection} is made without event ${event_id}, which is parked by its position ${position}, another one in the target. Apply it first: \`mace projections replay ${projection}\`, or give it up: \`mace projections discard ${projection}\``,
    );
  }
  return standing.flatMap(({ position, through }) => (through === undefined ? [position] : [position, through]));
}

async function standingIn(events: EventStore): Promise<readonly Standing[]> {
  const standing = new Map<string, Standing>();
  for (let after = START; ;) {
    const page = await events.readAll({ after, limit: PAGE, types: TYPES });
    for (const { type, text } of page.events) {
      const { data } = JSON.parse(text) as { readonly data: Omit<Standing, 'type'> };
      const key = `${data.projection} ${data.position}`;
      if (type === EVENT_REPLAYED) standing.delete(key);
      else standing.set(key, { ...data, type });
    }
    if (page.atHead) return [...standing.values()];
    after = page.scannedTo;
  }
}
