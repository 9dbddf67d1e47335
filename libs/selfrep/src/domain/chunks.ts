import type { JsonObject } from '#lib/kernel';

import type { SelfrepConstants } from './constants.js';
import type { ModulePolicy, ModuleStatus, ModuleType } from './module.events.js';
import type { Module, NotCallable } from './module.js';

/** A module as a selfrep snapshot shows it; routing reads it as it is. */
export interface SnapshotModule {
  readonly node_id: string;
  readonly agent_id: string;
  readonly type: ModuleType;
  readonly version: string;
  readonly apt: number;
  readonly status: ModuleStatus;
  readonly dependency_unhealthy: boolean;
  readonly capabilities: readonly string[];
  readonly policy: ModulePolicy;
  /** Why nothing can call it in the process that made the snapshot; absent where something can. */
  readonly not_callable?: NotCallable;
}

/** Body of a chunk's snapshot. */
export interface ChunkBody {
  readonly modules: readonly SnapshotModule[];
}

/** Body of the selfrep snapshot: the signed list of its chunks, by their content-addressed ids. */
export interface SelfrepBody {
  readonly constants: SelfrepConstants;
  readonly chunk_size: number;
  readonly module_count: number;
  readonly chunks: readonly string[];
}

/** @param whyNot why nothing can call it; null where something can */
export function snapshotModule(module: Module, whyNot: NotCallable | null = null): SnapshotModule {
  const { node_id, agent_id, type, version, dependency_unhealthy, capabilities, policy } = module;
  const { apt, status } = module.health;
  const entry = { node_id, agent_id, type, version, apt, status, dependency_unhealthy, capabilities, policy };
  return whyNot === null ? entry : { ...entry, not_callable: whyNot };
}

/**
 * Modules in chunks of a size, in the order given. Callers order by registration, so that a new module changes the last
 * chunk only.
 */
export function chunked<T>(modules: readonly T[], size: number): readonly (readonly T[])[] {
  const chunks: T[][] = [];
  for (let from = 0; from < modules.length; from += size) chunks.push(modules.slice(from, from + size));
  return chunks;
}

export function chunkBody(modules: readonly SnapshotModule[]): JsonObject {
  return { modules } as unknown as JsonObject;
}

export function selfrepBody(chunks: readonly string[], module_count: number, constants: SelfrepConstants): JsonObject {
  const body: SelfrepBody = { constants, chunk_size: constants.chunk_size, module_count, chunks };
  return body as unknown as JsonObject;
}

/** Whether two chunks hold the same, without making text of both. */
export function sameModules(a: readonly SnapshotModule[], b: readonly SnapshotModule[]): boolean {
  return a.length === b.length && a.every((module, i) => module === b[i]);
}

/** Those that can be asked for an answer. */
export function routable<M extends { readonly type?: string }>(modules: readonly M[]): readonly M[] {
  return modules.filter(({ type }) => type === undefined || type === 'agent');
}
