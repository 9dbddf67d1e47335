import { setTimeout as sleep } from 'node:timers/promises';

import { DifferentBodyError, DuplicateEventError } from '#lib/event-store';
import { type DomainEvent, systemSeed, traceId } from '#lib/kernel';

import type { SelfrepConstants } from './domain/constants.js';
import { decideAnswering, decideCard, isOfflineByFailures } from './domain/decide.js';
import type { Endpoint } from './domain/endpoint.js';
import type { Module } from './domain/module.js';
import type { ModuleDirectory } from './module-directory.js';
import type { ModuleStreams } from './module-streams.js';
import type { Callability } from './ports.js';

const EVERY_MS = 10_000;
/** Agent cards are looked at once in so many rounds. */
const ROUNDS_A_CARD = 6;
/** What hangs holds up one of so many. */
const AT_ONCE = 8;
const TIMEOUT_MS = 3_000;

/**
 * Looks at modules elsewhere that went offline by failures of theirs alone, and brings those back, degraded, that answer
 * again (docs/agents.md). What a violation, a security incident or people took offline stays so. Those whose agent card is
 * another than was approved are degraded, until that is approved or the old one is there again.
 */
export class EndpointProbe {
  private rounds = 0;

  constructor(
    private readonly streams: ModuleStreams,
    private readonly directory: Pick<ModuleDirectory, 'all'>,
    private readonly callability: Pick<Callability, 'isAnswering' | 'cardHash'>,
    private readonly constants: SelfrepConstants,
    private readonly everyMs = EVERY_MS,
  ) {}

  /** Until it is stopped. @throws what the store throws */
  async run(stopping: AbortSignal): Promise<void> {
    for (;;) {
      await this.round(stopping);
      await sleep(this.everyMs, undefined, { signal: stopping });
    }
  }

  /** Looks at each module that failures took offline. */
  lookAtOffline(stopping: AbortSignal): Promise<void> {
    return this.each(isOfflineByFailures, stopping, (module, signal) => this.probe(module, signal));
  }

  /** Looks at each agent card there is. */
  lookAtCards(stopping: AbortSignal): Promise<void> {
    return this.each(hasCard, stopping, (module, signal) => this.lookAtCard(module, signal));
  }

  private async round(stopping: AbortSignal): Promise<void> {
    await this.lookAtOffline(stopping);
    if (this.rounds++ % ROUNDS_A_CARD === 0) await this.lookAtCards(stopping);
  }

  private async each(
    isDue: (module: Module) => boolean,
    stopping: AbortSignal,
    look: (module: Module, signal: AbortSignal) => Promise<void>,
  ): Promise<void> {
    const left = this.directory.all().filter(isDue);
    const next = async (): Promise<void> => {
      for (let module = left.pop(); module && !stopping.aborted; module = left.pop())
        await look(module, AbortSignal.any([stopping, AbortSignal.timeout(TIMEOUT_MS)]));
    };
    await Promise.all(Array.from({ length: AT_ONCE }, next));
  }

  private async probe(module: Module, signal: AbortSignal): Promise<void> {
    if (await this.callability.isAnswering(module, signal))
      await this.record('endpoint-probe', module, (known) => decideAnswering(known, this.constants));
  }

  private async lookAtCard(module: Module, signal: AbortSignal): Promise<void> {
    const sha256 = await this.callability.cardHash(module.endpoint as Endpoint, signal);
    if (sha256 === null) return;
    await this.record('agent-card', module, (known) => decideCard(known, sha256, this.constants));
  }

  private async record(
    what: string,
    { node_id, revision }: Module,
    decide: (known: Module) => readonly DomainEvent[],
  ): Promise<void> {
    // Two processes that see the same say the same.
    const jobSeed = systemSeed(what, `${node_id}@${revision}`);
    const provenance = {
      jobSeed,
      sequenceIndex: 0,
      actor: { id: 'system', role: 'system' },
      traceId: traceId(jobSeed),
    };
    try {
      await this.streams.execute(node_id, provenance, (known) => (known ? decide(known) : []));
    } catch (error) {
      // Another process said it first.
      if (!(error instanceof DuplicateEventError || error instanceof DifferentBodyError)) throw error;
    }
  }
}

function hasCard({ endpoint }: Module): boolean {
  return endpoint?.card !== undefined;
}
