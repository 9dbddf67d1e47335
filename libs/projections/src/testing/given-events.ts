import { type EventMetadata, type JsonObject } from '#lib/kernel';
import { type Document, type FindOptions, MemoryReadStore } from '#lib/read-store';
import { firstName } from '../domain/rebuild.js';
import { type ProjectedEvent, type Projection } from '../projection.js';
import { ReadModel } from '../read-model.js';

/** An event of a specification: what is left out does not matter to the projection under test. */
export interface GivenEvent {
  readonly type: string;
  readonly data?: JsonObject;
  readonly stream?: string;
  readonly metadata?: Partial<EventMetadata>;
}

/**
 * Given events, when a projection reads them, then its documents are these:
 *
 *     const people = givenEvents(peopleProjection, { type: 'NAMED', data: { name: 'Ada' } });
 *     expect(await people.documents('people')).toEqual([...]);
 *     expect(await people.when({ type: 'FORGOTTEN' }).documents('people')).toEqual([]);
 *
 * Events get positions from 1, revisions from 0 in their stream, and an event_id of their position.
 */
export function givenEvents(projection: Projection, ...events: GivenEvent[]): Specification {
  return new Specification(projection, events);
}

export class Specification {
  constructor(
    private readonly projection: Projection,
    private readonly events: readonly GivenEvent[],
  ) {}

  when(...events: GivenEvent[]): Specification {
    return new Specification(this.projection, [...this.events, ...events]);
  }

  /** Every document of a collection, by id. */
  async documents(collection: string): Promise<readonly Document[]> {
    return this.find(collection, { limit: 1000 });
  }

  async find(collection: string, options: FindOptions): Promise<readonly Document[]> {
    return (await (await this.readModel()).find(collection, options)).documents;
  }

  /**
   * @throws what `project` throws, and Error where one event at a time, or one partition after another, leads to other
   * documents than all at once
   */
  async readModel(): Promise<ReadModel> {
    const { projection } = this;
    const events = projected(this.events).filter(({ type }) => projection.types.includes(type));
    const { store, digest } = await this.written(events, events.length);
    if ((await this.written(events, 1)).digest !== digest)
      throw new Error(`projection ${projection.name} depends on how events are batched`);
    if ((await this.written(byPartition(projection, events), events.length)).digest !== digest)
      throw new Error(
        `projection ${projection.name} has documents of several partitions: let its \`partition\` say so`,
      );
    return new ReadModel(store, projection);
  }

  private async written(
    events: readonly ProjectedEvent[],
    batchSize: number,
  ): Promise<{ store: MemoryReadStore; digest: string }> {
    const generation = { projection: this.projection.name, name: firstName(this.projection.version) };
    const store = new MemoryReadStore();
    await store.prepare(generation, this.projection.collections);
    let from = await store.claim(generation);
    for (let i = 0; i < events.length; i += batchSize) {
      const batch = events.slice(i, i + batchSize);
      const to = batch.at(-1)?.position ?? from.position;
      await store.apply(generation, { changes: batch.flatMap((event) => this.projection.project(event)), from, to });
      from = { ...from, position: to };
    }
    return { store, digest: (await store.digest(generation)).digest };
  }
}

/** The last partition first, as where all others had to wait for it. */
function byPartition(projection: Projection, events: readonly ProjectedEvent[]): readonly ProjectedEvent[] {
  const partitions = new Map<string, ProjectedEvent[]>();
  for (const event of events) {
    const name = projection.partition?.(event) ?? event.stream;
    partitions.set(name, [...(partitions.get(name) ?? []), event]);
  }
  return [...partitions.values()].reverse().flat();
}

function projected(events: readonly GivenEvent[]): ProjectedEvent[] {
  const revisions = new Map<string, number>();
  return events.map(({ type, data = {}, stream = 'stream', metadata = {} }, i) => {
    const revision = revisions.get(stream) ?? 0;
    revisions.set(stream, revision + 1);
    return {
      type,
      data,
      stream,
      revision,
      position: String(i + 1),
      metadata: { ...plainMetadata(i + 1), ...metadata },
    };
  });
}

function plainMetadata(position: number): EventMetadata {
  const id = String(position).padStart(64, '0');
  return {
    $correlationId: 'trace-0000000000000000',
    actor: { id: 'user:test', role: 'user' },
    event_id: id,
    job_seed: 'seed',
    kid: 'test',
    prev_hash: '0'.repeat(64),
    recorded_at: '2026-01-01T00:00:00.000Z',
    schema_version: 1,
    sequence_index: position - 1,
    signature: '0'.repeat(64),
    timestamp_seeded: '2025-01-01T00:00:00.000Z',
    trace_id: 'trace-0000000000000000',
  };
}
