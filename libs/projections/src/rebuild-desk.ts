import { setTimeout as sleep } from 'node:timers/promises';
import { positionOf } from '#lib/event-store';
import { type Generation, type ReadStore } from '#lib/read-store';
import { AsideList, asideMark } from './aside.js';
import { Copier } from './copier.js';
import { type ProjectionDecisions } from './domain/decisions.js';
import { generationsInUse, isOfVersion, liveName, openRebuild, type RebuildFacts } from './domain/rebuild.js';
import { FencedError } from './errors.js';
import { GenerationWriter } from './generation-writer.js';
import { type Ownership } from './ownership.js';
import { type Projection } from './projection.js';
import { type ProjectionRecord } from './projection-record.js';
import { rebuild, type RebuildOptions } from './rebuild.js';
import { settle } from './settle.js';

export interface RebuildDeskOptions extends RebuildOptions {
  readonly record: Pick<ProjectionRecord, 'of' | 'ended'>;
  readonly firstRetryMs: number;
  readonly maxRetryMs: number;
  /** Told of a fault that is met again and again once; the attempt is made again each time. */
  readonly onFault?: (error: unknown) => void;
}

interface Task {
  readonly id: string;
  readonly stop: AbortController;
  readonly done: Promise<void>;
}

/** What was decided about a projection's generations, done by its owner: one is made, another goes live, others go. */
export class RebuildDesk {
  private task: Task | undefined;

  constructor(
    private readonly projection: Projection,
    private readonly options: RebuildDeskOptions,
  ) {}

  decisions(): Promise<ProjectionDecisions> {
    return this.options.record.of(this.projection.name);
  }

  /** Begins or ends the rebuild that was decided on, and drops generations that are of no use any more. */
  async follow(decisions: ProjectionDecisions): Promise<void> {
    const open = openRebuild(decisions);
    const wanted = open?.state === 'running' ? open : null;
    if (this.task && this.task.id !== wanted?.rebuild_id) await this.stop();
    if (wanted && !this.task) this.begin(wanted);
    await this.dropUnused(decisions);
  }

  /** Settles once nothing is written any more. */
  async stop(): Promise<void> {
    const { task } = this;
    this.task = undefined;
    task?.stop.abort();
    await task?.done;
  }

  /** Brings a generation up to where another is, without stopping that one: the swap is then short. */
  async approach(target: Generation, live: Generation, signal: AbortSignal): Promise<void> {
    const { documents } = this.options;
    const { projection } = this;
    await documents.prepare(target, projection.collections);
    const { asides } = asideMark(await documents.runnerState(live));
    const checkpoint = await documents.checkpoint(live);
    const writer = await GenerationWriter.claim(documents, target);
    await settle(writer, asides, { ...this.options, projection, signal });
    const reading = { projection, decode: this.options.decode, aside: new AsideList(asides) };
    const copier = new Copier(reading, writer, { ...this.options, signal, givesWay: true });
    if (checkpoint) await copier.copyTo(positionOf(checkpoint.position));
  }

  /**
   * Makes the generation live that was decided on. Nothing moves the old one meanwhile: its owner does this, and whoever
   * owned it before is fenced. A kill at any moment leaves the one or the other live, with its documents whole.
   * @throws FencedError, PoisonEventError, and what the stores throw
   */
  async swap(ownership: Ownership, decisions: ProjectionDecisions, signal: AbortSignal): Promise<Generation> {
    const { name, version } = this.projection;
    const target = { projection: name, name: liveName(decisions, version) };
    const { live } = ownership;
    if (live && live.name !== target.name) {
      await this.fence(live);
      await this.approach(target, live, signal);
    }
    if (live?.name !== target.name) await ownership.goLive(target.name);
    return target;
  }

  private async fence(live: Generation): Promise<void> {
    if (await this.options.documents.checkpoint(live)) await this.options.documents.claim(live);
  }

  private begin(facts: RebuildFacts): void {
    const stop = new AbortController();
    this.task = { id: facts.rebuild_id, stop, done: this.run(facts, stop.signal) };
  }

  private async run(facts: RebuildFacts, signal: AbortSignal): Promise<void> {
    const { firstRetryMs, maxRetryMs, onFault } = this.options;
    let told: string | undefined;
    for (let faults = 0; !signal.aborted; faults++) {
      try {
        await this.options.record.ended(await this.attempt(facts, signal));
        return;
      } catch (error) {
        if (signal.aborted || error instanceof FencedError) return;
        if (String(error) !== told) onFault?.(error);
        told = String(error);
        const pause = Math.min(maxRetryMs, firstRetryMs * 2 ** Math.min(faults, 20));
        // The only way in which this sleep fails is the stop.
        await sleep(pause, undefined, { signal }).catch(() => undefined);
      }
    }
  }

  private async attempt(facts: RebuildFacts, signal: AbortSignal): ReturnType<typeof rebuild> {
    const { name, version } = this.projection;
    if (isOfVersion(facts.generation, version)) return rebuild(this.projection, facts, { ...this.options, signal });
    const nothing = { position: null, live_digest: null, rebuilt_digest: null };
    const reason = `the program is of version ${version} by now`;
    return { projection: name, rebuild_id: facts.rebuild_id, outcome: 'failed', ...nothing, reason };
  }

  /** Those of other versions stay: another program may run beside this one. */
  private async dropUnused(decisions: ProjectionDecisions): Promise<void> {
    const { name, version } = this.projection;
    const documents: ReadStore = this.options.documents;
    const inUse = generationsInUse(decisions, version);
    for (const generation of await documents.generations(name)) {
      if (isOfVersion(generation.name, version) && !inUse.has(generation.name)) await documents.drop(generation);
    }
  }
}
