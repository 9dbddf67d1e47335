import type { ExportedWrite, SubjectMemory } from '#lib/dsr';
import type { JsonObject } from '#lib/kernel';
import type { SemReader } from '#lib/memory';

/** What stands in place of a value that nobody may read. */
const WITHHELD: readonly unknown[] = ['[revoked]', '[erased]'];

/** A key's history as its owner reads it; notes and meta only beside a value that is shown. */
export class ReadMemory implements SubjectMemory {
  constructor(private readonly reader: SemReader) {}

  async *writes(key: string): AsyncIterable<ExportedWrite> {
    for await (const { item, event } of this.reader.writes(key)) {
      const { revision, position, value, source, timestamp, applied } = item;
      const beside = WITHHELD.includes(value) ? {} : besideValue(event.data);
      yield { revision, position, content: { value, source, timestamp, applied, ...beside } };
    }
  }
}

function besideValue({ notes, meta }: JsonObject): JsonObject {
  return { ...(notes === undefined ? {} : { notes }), ...(meta === undefined ? {} : { meta }) };
}
