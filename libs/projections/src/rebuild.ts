import { setTimeout as sleep } from 'node:timers/promises';
import { type Position, positionOf, START } from '#lib/event-store';
import { type JsonObject } from '#lib/kernel';
import { type Generation, type ReadStore } from '#lib/read-store';
import { AsideList, asideMark, type AsideMark, sameAsides } from './aside.js';
import { Copier, type CopierOptions } from './copier.js';
import { type RebuildFacts } from './domain/rebuild.js';
import { type RebuildEnded } from './domain/rebuild.events.js';
import { PoisonEventError } from './errors.js';
import { GenerationWriter } from './generation-writer.js';
import { liveGeneration } from './ownership.js';
import { comparePositions } from './positions.js';
import { type Decode, type Projection } from './projection.js';
import { settle } from './settle.js';

export interface RebuildOptions extends Pick<CopierOptions, 'events' | 'pageSize' | 'maxBatchEvents'> {
  readonly decode: Decode;
  readonly documents: ReadStore;
  readonly signal?: AbortSignal;
  /** Milliseconds, from any origin. */
  readonly clock?: () => number;
}

/** What is kept beside a generation while it is made: written with each batch, so that it is true after a kill. */
export interface RebuildMark {
  /** Events that the projection read. */
  readonly events: number;
  /** Time in which it was worked on; pauses between two processes are none. */
  readonly active_ms: number;
}

/**
 * Makes a generation beside the live one, which goes on, and compares the two at one position. Called again after a kill
 * it goes on where the last batch ended. Projections have no effects; reactors, which have, take no part.
 * @throws FencedError, the signal's reason, and what the stores throw: then nothing came of it yet
 */
export async function rebuild(
  projection: Projection,
  { rebuild_id, generation: name }: RebuildFacts,
  options: RebuildOptions,
): Promise<RebuildEnded> {
  const generation = { projection: projection.name, name };
  await options.documents.prepare(generation, projection.collections, { inTheMaking: true });
  const ended = { projection: projection.name, rebuild_id };
  try {
    const compared = await new Rebuild(projection, generation, options).run();
    // Lasting before anybody may decide to be answered from it.
    await options.documents.prepare(generation, projection.collections);
    return { ...ended, outcome: 'ready', ...compared, reason: null };
  } catch (error) {
    // Strict: an event that it cannot take ends it, and the live generation stays what it is.
    if (!(error instanceof PoisonEventError)) throw error;
    const nothing = { position: null, live_digest: null, rebuilt_digest: null };
    return { ...ended, outcome: 'failed', ...nothing, reason: error.message };
  }
}

type Compared = Pick<RebuildEnded, 'position' | 'live_digest' | 'rebuilt_digest'>;

class Rebuild {
  private readonly clock: () => number;

  constructor(
    private readonly projection: Projection,
    private readonly generation: Generation,
    private readonly options: RebuildOptions,
  ) {
    this.clock = options.clock ?? ((): number => performance.now());
  }

  /** Made without the events that the live one is made without; again where those changed meanwhile. */
  async run(): Promise<Compared> {
    const { documents } = this.options;
    const writer = await GenerationWriter.claim(documents, this.generation);
    for (;;) {
      const mark = await this.liveMark();
      await settle(writer, mark.asides, { ...this.options, projection: this.projection });
      const copier = this.copier(writer, new AsideList(mark.asides));
      await this.catchUp(copier);
      const live = await documents.digest(await this.live());
      if (!isUnchanged(mark, await this.liveMark())) continue;
      await copier.copyTo(positionOf(live.position));
      const rebuilt = await documents.digest(this.generation);
      const isComparable = rebuilt.position === live.position;
      return {
        position: rebuilt.position,
        live_digest: isComparable ? live.digest : null,
        rebuilt_digest: rebuilt.digest,
      };
    }
  }

  /** What the live generation is made without; waits while that is changing. */
  private async liveMark(): Promise<AsideMark> {
    for (;;) {
      const mark = asideMark(await this.options.documents.runnerState(await this.live()));
      if (mark.settling === null) return mark;
      this.options.signal?.throwIfAborted();
      await sleep(SETTLING_POLL_MS);
    }
  }

  /** Up to where the live generation is by then, which goes on meanwhile: what is left gets shorter each time. */
  private async catchUp(copier: Copier): Promise<void> {
    for (let goal = await this.livePosition(); comparePositions(copier.at, goal) < 0;) {
      const before = copier.at;
      await copier.copyTo(goal);
      if (copier.at === before) return;
      const next = await this.livePosition();
      // The digest has a position of its own; after the long way only what it then lies beyond is copied.
      if (BigInt(next) - BigInt(goal) < BigInt(NEAR)) return;
      goal = next;
    }
  }

  private copier(writer: GenerationWriter, aside: AsideList): Copier {
    let { events, active_ms } = markOf(writer.kept);
    let since = this.clock();
    const beside = (written: number): JsonObject => {
      const now = this.clock();
      events += written;
      active_ms += Math.round(now - since);
      since = now;
      return { events, active_ms };
    };
    const { decode } = this.options;
    return new Copier({ projection: this.projection, decode, aside }, writer, {
      ...this.options,
      beside,
      givesWay: true,
    });
  }

  private live(): Promise<Generation> {
    return liveGeneration(this.options.documents, this.projection);
  }

  private async livePosition(): Promise<Position> {
    return positionOf((await this.options.documents.checkpoint(await this.live()))?.position ?? START);
  }
}

function isUnchanged(before: AsideMark, after: AsideMark): boolean {
  return after.settling === null && sameAsides(before.asides, after.asides);
}

const SETTLING_POLL_MS = 25;
/** So many positions are soon copied. */
const NEAR = 1000;

export function markOf(kept: JsonObject | null): RebuildMark {
  const { events, active_ms } = kept ?? {};
  return {
    events: typeof events === 'number' ? events : 0,
    active_ms: typeof active_ms === 'number' ? active_ms : 0,
  };
}
