import type { JsonObject } from '#lib/kernel';
import type { Checkpoint, Generation, ReadStore } from '#lib/read-store';

import { FencedError, refusalOf } from './errors.js';
import { OwedDocuments } from './owed-documents.js';
import { isPosition, type OwedEvent } from './owed-event.js';
import { comparePositions } from './positions.js';
import { inLogOrder, ReactorProgress } from './reactor-progress.js';

/** Of each reactor's place in the read store. */
export const REACTOR = 'reactor';

/** Beside the checkpoint of a reactor that owes something, which says how far all is answered: how far it has seen. */
interface Beside {
  readonly seen_to: string;
  /** How many events it owes. */
  readonly owes: number;
}

/**
 * Where a reactor is kept: its checkpoint, and what it owes. What is owed stands there before the checkpoint says that the
 * reactor has passed it, and goes after the checkpoint says that it does not owe it: whatever is broken off in between,
 * what is read then is owed at least.
 */
export class ReactorPlace {
  private readonly generation: Generation;
  private readonly owed: OwedDocuments;
  private checkpoint: Checkpoint | undefined;
  private beside: Beside | null = null;
  /** Something stands beside the checkpoint, whatever it is. */
  private hasBeside = false;

  constructor(
    private readonly documents: ReadStore,
    private readonly reactor: string,
  ) {
    this.generation = generationOf(reactor);
    this.owed = new OwedDocuments(documents, reactor);
  }

  /** Up to where the reactor has seen the log, as it was kept last. */
  get keptTo(): string {
    return this.beside?.seen_to ?? this.checkpoint?.position ?? '0';
  }

  /**
   * The first time claims the place; later finds out where it is.
   * @throws FencedError where another reactor has claimed it since
   */
  async take(): Promise<ReactorProgress> {
    const { documents, generation } = this;
    if (this.checkpoint) {
      const kept = await documents.checkpoint(generation);
      if (kept?.epoch !== this.checkpoint.epoch) throw new FencedError(this.reactor);
      this.checkpoint = kept;
    } else {
      await documents.prepare(generation, []);
      this.checkpoint = await documents.claim(generation);
    }
    const state = await documents.runnerState(generation);
    this.hasBeside = state !== null;
    this.beside = besideIn(state);
    return this.progress(this.checkpoint.position, await this.owed.read());
  }

  /** Another may claim it. */
  leave(): void {
    this.checkpoint = undefined;
  }

  /** @returns whether there was anything to keep @throws FencedError */
  async keep(progress: ReactorProgress): Promise<boolean> {
    const changed = progress.changes;
    const beside = progress.isOwing ? { seen_to: progress.seenTo, owes: progress.owes } : null;
    const isWhere = this.keptTo === progress.seenTo && (this.beside?.owes ?? 0) === progress.owes;
    if (isWhere && changed.length === 0) return false;
    await this.owed.write(changed.filter(({ event }) => event !== undefined));
    if (!isWhere) await this.move(progress.answeredTo, beside);
    await this.owed.write(changed.filter(({ event }) => event === undefined));
    progress.kept();
    return true;
  }

  private async move(to: string, beside: Beside | null): Promise<void> {
    const from = this.checkpoint!;
    const state = beside || this.hasBeside ? { runnerState: beside as unknown as JsonObject | null } : {};
    const outcome = await this.documents.apply(this.generation, { changes: [], from, to, ...state });
    if (outcome === 'fenced') throw await refusalOf(this.documents, this.generation, from);
    this.checkpoint = { position: to, epoch: from.epoch };
    this.beside = beside;
    this.hasBeside = beside !== null;
  }

  /** Where what is kept does not agree all behind the checkpoint is answered again: at least once is what was promised. */
  private progress(answeredTo: string, kept: ReadonlyMap<string, OwedEvent | undefined>): ReactorProgress {
    const { seen_to: seen = answeredTo, owes = 0 } = this.beside ?? {};
    const isOpen = ({ position }: OwedEvent): boolean =>
      comparePositions(position, answeredTo) > 0 && comparePositions(position, seen) <= 0;
    const owed = [...kept.values()].filter((event) => event !== undefined).filter(isOpen);
    const isWhole = owed.length >= owes && [...kept.values()].every((event) => event !== undefined);
    const open = new Set(isWhole ? owed.map(({ id }) => id) : []);
    const strays = [...kept.keys()].filter((id) => !open.has(id));
    if (!isWhole) return new ReactorProgress(answeredTo, [], strays);
    return new ReactorProgress(seen, owed.toSorted(inLogOrder), strays);
  }
}

/** Up to where a reactor has seen the log, by what stands beside its checkpoint; null where nothing does that could be its. */
export function seenTo(state: JsonObject | null): string | null {
  return besideIn(state)?.seen_to ?? null;
}

/** Up to where a reactor has answered every event, by the checkpoint that it keeps; null before its first start. */
export async function reactorPosition(documents: ReadStore, name: string): Promise<string | null> {
  return (await documents.checkpoint(generationOf(name)))?.position ?? null;
}

function besideIn(state: JsonObject | null): Beside | null {
  const { seen_to, owes } = (state ?? {}) as Partial<Record<keyof Beside, unknown>>;
  // Of a reactor that owes nothing the checkpoint says how far it is, and nothing beside it.
  if (!isPosition(seen_to) || !Number.isSafeInteger(owes) || (owes as number) < 1) return null;
  return { seen_to, owes: owes as number };
}

function generationOf(reactor: string): Generation {
  return { projection: reactor, name: REACTOR };
}
