import { type JsonObject } from '#lib/kernel';
import { type Checkpoint, type Generation, type ReadStore } from '#lib/read-store';
import { firstName } from './domain/rebuild.js';
import { FencedError } from './errors.js';
import { type PersistedStatus } from './status.js';

/** What tells one projection of one program's version from another. */
export interface ProjectionVersion {
  readonly name: string;
  readonly version: number;
}

/** Who owns a projection at a moment, as others see it: while the beat moves, its holder lives. */
export interface OwnerSign {
  /** Null where nobody holds it, or who does asks for no lease. */
  readonly holder: string | null;
  readonly epoch: number;
  readonly beat: number;
  /** How its owner has last said that it is; null before anything was said. */
  readonly status: PersistedStatus | null;
}

interface Kept {
  readonly live: string | null;
  readonly holder: string | null;
  readonly beat: number;
  readonly status: PersistedStatus | null;
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
  const { live } = await kept(documents, projection);
  return { projection: projection.name, name: live ?? firstName(projection.version) };
}

/** Null where nobody ever owned it. */
export async function ownerSign(documents: ReadStore, projection: ProjectionVersion): Promise<OwnerSign | null> {
  const checkpoint = await documents.checkpoint(ownershipOf(projection));
  if (!checkpoint) return null;
  const { holder, beat, status } = await kept(documents, projection);
  return { holder, beat, status, epoch: checkpoint.epoch };
}

async function kept(documents: Pick<ReadStore, 'runnerState'>, projection: ProjectionVersion): Promise<Kept> {
  const { live, holder, beat, status } = (await documents.runnerState(ownershipOf(projection))) ?? {};
  return {
    live: typeof live === 'string' ? live : null,
    holder: typeof holder === 'string' ? holder : null,
    beat: typeof beat === 'number' ? beat : 0,
    status: (status ?? null) as PersistedStatus | null,
  };
}

/**
 * The right to say which generation of a projection is live. Whoever takes it fences who had it: an owner that was paused
 * and wakes up changes nothing any more.
 */
export class Ownership {
  private writing: Promise<void> = Promise.resolve();

  private constructor(
    private readonly documents: ReadStore,
    private readonly projection: ProjectionVersion,
    private readonly checkpoint: Checkpoint,
    private state: Kept,
  ) {}

  /** @param holder whose lease it is; null where nobody else waits for it */
  static async take(documents: ReadStore, projection: ProjectionVersion, holder: string | null): Promise<Ownership> {
    const generation = ownershipOf(projection);
    await documents.prepare(generation, []);
    const checkpoint = await documents.claim(generation);
    const { live, beat, status } = await kept(documents, projection);
    const ownership = new Ownership(documents, projection, checkpoint, { live, holder, beat, status });
    await ownership.change({});
    return ownership;
  }

  /** Null where none was ever named. */
  get live(): Generation | null {
    const { live } = this.state;
    return live === null ? null : { projection: this.projection.name, name: live };
  }

  /** In one step: every later question is answered from the other generation. @throws FencedError */
  goLive(live: string): Promise<void> {
    return this.change({ live });
  }

  /** Says that the holder lives. @throws FencedError */
  beat(): Promise<void> {
    return this.change({ beat: this.state.beat + 1 });
  }

  /** Says how the projection is, for whoever asks in another process or later. @throws FencedError */
  tell(status: PersistedStatus): Promise<void> {
    return this.change({ status });
  }

  /** Who waits need not wait any longer. @throws FencedError */
  release(): Promise<void> {
    return this.change({ holder: null, status: { state: 'stopped' } });
  }

  private change(change: Partial<Kept>): Promise<void> {
    const turn = this.writing.then(() => this.write({ ...this.state, ...change }));
    this.writing = turn.catch(() => undefined);
    return turn;
  }

  private async write(state: Kept): Promise<void> {
    const batch = {
      changes: [],
      from: this.checkpoint,
      to: this.checkpoint.position,
      runnerState: { ...state } as unknown as JsonObject,
    };
    const outcome = await this.documents.apply(ownershipOf(this.projection), batch);
    if (outcome === 'fenced') throw new FencedError(this.projection.name);
    this.state = state;
  }
}
