import { type Document, type FindOptions, type FoundPage, type ReadStore } from '#lib/read-store';
import { liveGeneration, type Projection } from './projection.js';

/** A projection's documents as queries see them. */
export class ReadModel {
  constructor(
    private readonly documents: ReadStore,
    private readonly projection: Pick<Projection, 'name' | 'version'>,
  ) {}

  get(collection: string, id: string): Promise<Document | null> {
    return this.documents.get(liveGeneration(this.projection), collection, id);
  }

  /** @throws MaceError INVALID_INPUT for a limit, cursor, field or value that cannot be */
  find(collection: string, options: FindOptions): Promise<FoundPage> {
    return this.documents.find(liveGeneration(this.projection), collection, options);
  }

  count(collection: string): Promise<number> {
    return this.documents.count(liveGeneration(this.projection), collection);
  }
}
