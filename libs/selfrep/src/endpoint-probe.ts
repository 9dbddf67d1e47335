import { setTimeout as sleep } from 'node:timers/promises';

import { DifferentBodyError, DuplicateEventError } from '#lib/event-store';
import { systemSeed, traceId } from '#lib/kernel';

import { decideAnswering, isOfflineByFailures } from './domain/decide.js';
import type { Module } from './domain/module.js';
import type { ModuleDirectory } from './module-directory.js';
import type { ModuleStreams } from './module-streams.js';
import type { Callability } from './ports.js';

const EVERY_MS = 10_000;
/** What hangs holds up one of so many. */
const AT_ONCE = 8;
const TIMEOUT_MS = 3_000;

/**
 * Looks at modules elsewhere that went offline by failures of theirs alone, and brings those back, degraded, that answer
 * again (docs/agents.md). What a violation, a security incident or people took offline stays so.
 */
export class EndpointProbe {
  constructor(
    private readonly streams: ModuleStreams,
    private readonly directory: Pick<ModuleDirectory, 'all'>,
    private readonly callability: Pick<Callability, 'isAnswering'>,
    private readonly everyMs = EVERY_MS,
  ) {}

  /** Until it is stopped. @throws what the store throws */
  async run(stopping: AbortSignal): Promise<void> {
    for (;;) {
      await this.round(stopping);
      await sleep(this.everyMs, undefined, { signal: stopping });
    }
  }

  private async round(stopping: AbortSignal): Promise<void> {
    const left = this.directory.all().filter(isOfflineByFailures);
    const next = async (): Promise<void> => {
      for (let module = left.pop(); module && !stopping.aborted; module = left.pop())
        await this.probe(module, stopping);
    };
    await Promise.all(Array.from({ length: AT_ONCE }, next));
  }

  private async probe(module: Module, stopping: AbortSignal): Promise<void> {
    const signal = AbortSignal.any([stopping, AbortSignal.timeout(TIMEOUT_MS)]);
    if (!(await this.callability.isAnswering(module, signal))) return;
    const { node_id, revision } = module;
    // Two processes that see the same say the same.
    const jobSeed = systemSeed('endpoint-probe', `${node_id}@${revision}`);
    const provenance = {
      jobSeed,
      sequenceIndex: 0,
      actor: { id: 'system', role: 'system' },
      traceId: traceId(jobSeed),
    };
    try {
      await this.streams.execute(node_id, provenance, (known) => (known ? decideAnswering(known) : []));
    } catch (error) {
      // Another process said it first.
      if (!(error instanceof DuplicateEventError || error instanceof DifferentBodyError)) throw error;
    }
  }
}
