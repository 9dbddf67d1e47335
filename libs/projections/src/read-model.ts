import { type Document, type FindOptions, type FoundPage, type Generation, type ReadStore } from '#lib/read-store';
import { liveGeneration, type ProjectionVersion } from './ownership.js';

/** A projection's documents as queries see them. */
export class ReadModel {
  constructor(
    private readonly documents: ReadStore,
    private readonly projection: ProjectionVersion,
  ) {}

  /** Up to where every event is in what is found from now on, in whatever process it is written; 0 before the first. */
  async position(): Promise<string> {
    return (await this.documents.checkpoint(await this.live()))?.position ?? '0';
  }

  async get(collection: string, id: string): Promise<Document | null> {
    return this.documents.get(await this.live(), collection, id);
  }

  /** @throws MaceError INVALID_INPUT for a limit, cursor, field or value that cannot be */
  async find(collection: string, options: FindOptions): Promise<FoundPage> {
    return this.documents.find(await this.live(), collection, options);
  }

  async count(collection: string): Promise<number> {
    return this.documents.count(await this.live(), collection);
  }

  private live(): Promise<Generation> {
    return liveGeneration(this.documents, this.projection);
  }
}
