import { type Checkpoint, type Generation, type ReadStore } from '#lib/read-store';
import { firstName } from './domain/rebuild.js';
import { FencedError } from './errors.js';

/** What tells one projection of one program's version from another. */
export interface ProjectionVersion {
  readonly name: string;
  readonly version: number;
}

/** Where it is kept which generation is live: a generation without collections, whose epoch is the ownership. */
function ownershipOf({ name, version }: ProjectionVersion): Generation {
  return { projection: name, name: `live_v${version}` };
}

/** Where the documents are that queries read, as of this moment; the one place that knows. */
export async function liveGeneration(
  documents: Pick<ReadStore, 'runnerState'>,
  projection: ProjectionVersion,
): Promise<Generation> {
  const kept = (await documents.runnerState(ownershipOf(projection)))?.['live'];
  return { projection: projection.name, name: typeof kept === 'string' ? kept : firstName(projection.version) };
}

/**
 * The right to say which generation of a projection is live. Whoever takes it fences who had it: an owner that was paused
 * and wakes up changes nothing any more.
 */
export class Ownership {
  private constructor(
    private readonly documents: ReadStore,
    private readonly projection: ProjectionVersion,
    private readonly checkpoint: Checkpoint,
    private name: string | null,
  ) {}

  static async take(documents: ReadStore, projection: ProjectionVersion): Promise<Ownership> {
    const kept = ownershipOf(projection);
    await documents.prepare(kept, []);
    const checkpoint = await documents.claim(kept);
    const live = (await documents.runnerState(kept))?.['live'];
    return new Ownership(documents, projection, checkpoint, typeof live === 'string' ? live : null);
  }

  /** Null where none was ever named. */
  get live(): Generation | null {
    return this.name === null ? null : { projection: this.projection.name, name: this.name };
  }

  /** In one step: every later question is answered from the other generation. @throws FencedError */
  async goLive(name: string): Promise<void> {
    const runnerState = { live: name };
    const batch = { changes: [], from: this.checkpoint, to: this.checkpoint.position, runnerState };
    const outcome = await this.documents.apply(ownershipOf(this.projection), batch);
    if (outcome === 'fenced') throw new FencedError(this.projection.name);
    this.name = name;
  }
}
