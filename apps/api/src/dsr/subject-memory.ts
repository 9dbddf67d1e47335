import type { ExportedWrite, SubjectMemory } from '#lib/dsr';
import type { EventLog } from '#lib/event-store';
import type { JsonObject } from '#lib/kernel';
import { semStream, type SemReader } from '#lib/memory';

const PAGE = 200;
/** What stands in place of a value that nobody may read. */
const WITHHELD: readonly unknown[] = ['[revoked]', '[erased]'];

/** A key's history as its owner reads it; notes and meta only beside a value that is shown. */
export class ReadMemory implements SubjectMemory {
  constructor(
    private readonly reader: SemReader,
    private readonly log: EventLog,
  ) {}

  async history(key: string): Promise<readonly ExportedWrite[]> {
    const { events } = await this.log.load(semStream(key), { personal: 'plain' });
    const writes: ExportedWrite[] = [];
    let cursor: string | undefined;
    do {
      const page = await this.reader.history(key, { limit: PAGE, ...(cursor === undefined ? {} : { cursor }) });
      for (const { revision, position, value, source, timestamp, applied } of page.items) {
        const beside = WITHHELD.includes(value) ? {} : besideValue(events[revision]!.data);
        writes.push({ revision, position, content: { value, source, timestamp, applied, ...beside } });
      }
      cursor = page.next_cursor ?? undefined;
    } while (cursor !== undefined);
    return writes;
  }
}

function besideValue({ notes, meta }: JsonObject): JsonObject {
  return { ...(notes === undefined ? {} : { notes }), ...(meta === undefined ? {} : { meta }) };
}
