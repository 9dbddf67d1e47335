import { brainstateEvents } from '#lib/brainstate';
import { fixtureKeyRing } from '#lib/access';
import { EventCodec, EventLog, SubjectCiphers } from '#lib/event-store';
import { actionRequestEvents } from '#lib/governance';
import { EventRegistry } from '#lib/kernel';
import { memoryEvents } from '#lib/memory';
import { moduleEvents } from '#lib/selfrep';

import { MemoryEventStore } from '../../../event-store/src/memory/memory-event-store.js';
import { MemorySubjectKeys } from '../../../event-store/src/memory/memory-subject-keys.js';
import { jobEvents } from '../domain/jobs.events.js';
import type { Effect, EffectResult } from '../engine/effects.js';
import type { LiveEffects } from '../job-runner.js';
import { ScriptedWorld, type Script } from './scripted-job.js';

/** What a job needs of the platform, in memory. */
export function jobHouse({ store = new MemoryEventStore(), keys = new MemorySubjectKeys() }: House = {}) {
  const ring = fixtureKeyRing();
  const ciphers = new SubjectCiphers(keys, ring);
  const definitions = [actionRequestEvents, brainstateEvents, jobEvents, memoryEvents, moduleEvents];
  const registry = new EventRegistry(definitions.flat());
  const codec = new EventCodec(registry, ring, ciphers);
  return { store, keys, ciphers, registry, log: new EventLog(store, codec) };
}

interface House {
  readonly store?: MemoryEventStore;
  readonly keys?: MemorySubjectKeys;
}

/** A scripted world as live effects; every turn of an agent leaves the process where `external` says so. */
export class ScriptedEffects implements LiveEffects {
  private readonly world: ScriptedWorld;

  constructor(
    script: Script = {},
    private readonly external = false,
  ) {
    this.world = new ScriptedWorld(script);
  }

  get asked(): readonly Effect[] {
    return this.world.asked;
  }

  leavesProcess({ kind }: Effect): boolean {
    return kind === 'write_memory' || (this.external && kind === 'invoke_agent');
  }

  async perform(effect: Effect): Promise<EffectResult> {
    return this.world.perform(effect);
  }
}
