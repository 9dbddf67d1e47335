import { setTimeout as sleep } from 'node:timers/promises';

import { type EventStore, positionOf, type RecordedEvent } from '#lib/event-store';
import { liveGeneration } from '#lib/projections';
import type { ReadStore } from '#lib/read-store';

import type { DependencyGraph } from './domain/dependencies.js';
import {
  type AptEvent,
  type Dependency,
  isOfModule,
  MODULE_EVENT_TYPES,
  type ModuleStatus,
  moduleStream,
} from './domain/module.events.js';
import { evolveModule, type Module, type PlacedEvent } from './domain/module.js';
import { isBeyond } from './domain/positions.js';
import { movesTrust } from './domain/trust.js';
import { moduleOf, MODULES, selfrepProjection } from './read-models/selfrep.projection.js';
import { signedOf, type SignedReading } from './signed-page.js';

/** What an event means to whoever keeps a snapshot of the modules. */
export interface DirectoryChange {
  readonly kind: 'registered' | 'status' | 'decided' | 'trust';
  /** How many trust events it holds. */
  readonly trustEvents: number;
}

export interface DirectoryOptions extends SignedReading {
  readonly events: EventStore;
  readonly documents: ReadStore;
  /** Told of each failed attempt, and of null once it goes again. */
  readonly onFault: (error: unknown) => void;
}

const PAGE = 1000;
const RETRY_MS = 500;

/**
 * Every module there is, in memory: begun from the read model, kept up by the log, and told at once of what this
 * process appends itself.
 */
export class ModuleDirectory implements DependencyGraph {
  private readonly modules = new Map<string, Module>();
  private readonly dependents = new Map<string, Set<string>>();
  private readonly stopping = new AbortController();
  private changed: (change: DirectoryChange) => void = () => undefined;
  private ordered: readonly string[] | null = null;
  private position = '0';
  private following: Promise<void> | undefined;
  private isFaulty = false;

  constructor(private readonly options: DirectoryOptions) {}

  onChange(listener: (change: DirectoryChange) => void): void {
    this.changed = listener;
  }

  /** Settles once everything that was in the log at the call is in the directory. */
  async start(): Promise<void> {
    await this.loadDocuments();
    await new Promise<void>((resolve, reject) => {
      this.following = this.follow(resolve, reject);
    });
  }

  async stop(): Promise<void> {
    this.stopping.abort();
    await this.following;
  }

  get(nodeId: string): Module | undefined {
    return this.modules.get(nodeId);
  }

  get size(): number {
    return this.modules.size;
  }

  /** In the order of their registration. */
  all(): readonly Module[] {
    this.ordered ??= [...this.modules.values()].sort(bySince).map(({ node_id }) => node_id);
    return this.ordered.flatMap((nodeId) => this.modules.get(nodeId) ?? []);
  }

  dependenciesOf(nodeId: string): readonly Dependency[] {
    return this.modules.get(nodeId)?.dependencies ?? [];
  }

  statusOf(nodeId: string): ModuleStatus | undefined {
    return this.modules.get(nodeId)?.health.status;
  }

  /** node_ids of those that require a module, in order. */
  requiredBy(nodeId: string): readonly string[] {
    return [...(this.dependents.get(nodeId) ?? [])].sort();
  }

  /** Takes an event that is newer than what is known of its module; any other changes nothing. */
  apply(event: PlacedEvent): void {
    const nodeId = event.data['node_id'] as string;
    const before = this.modules.get(nodeId);
    if (before && event.revision <= before.revision) return;
    const after = evolveModule(before ?? null, event);
    if (!after) return;
    this.put(after);
    this.changed(changeOf(event, before));
  }

  /** What this process appended itself was applied then, and needs no verifying when it comes by the log. */
  private knows({ stream, revision }: RecordedEvent): boolean {
    const known = this.modules.get(stream.slice(moduleStream('').length));
    return known !== undefined && revision <= known.revision;
  }

  private put(module: Module): void {
    if (!this.modules.has(module.node_id)) {
      this.ordered = null;
      for (const { to, required } of module.dependencies) {
        if (!required) continue;
        const dependents = this.dependents.get(to) ?? new Set<string>();
        this.dependents.set(to, dependents.add(module.node_id));
      }
    }
    this.modules.set(module.node_id, module);
  }

  /** Documents may be ahead of the checkpoint; what comes again is older than they are and changes nothing. */
  private async loadDocuments(): Promise<void> {
    const { documents } = this.options;
    const generation = await liveGeneration(documents, selfrepProjection);
    await documents.prepare(generation, selfrepProjection.collections);
    this.position = (await documents.checkpoint(generation))?.position ?? '0';
    let cursor: string | undefined;
    do {
      const found = await documents.find(generation, MODULES.name, {
        limit: PAGE,
        ...(cursor === undefined ? {} : { cursor }),
      });
      for (const { body } of found.documents) this.put(moduleOf(body));
      cursor = found.next ?? undefined;
    } while (cursor !== undefined);
  }

  /** A fault of the store is tried again from where it struck; before the first catching up it is the caller's. */
  private async follow(caughtUp: () => void, failed: (error: unknown) => void): Promise<void> {
    const { signal } = this.stopping;
    let ready = false;
    while (!signal.aborted) {
      try {
        await this.readOn(() => {
          ready = true;
          caughtUp();
        });
        return caughtUp();
      } catch (error) {
        if (!ready) return failed(error);
        this.isFaulty = true;
        this.options.onFault(error);
        await pause(RETRY_MS, signal);
      }
    }
  }

  private async readOn(caughtUp: () => void): Promise<void> {
    const { events } = this.options;
    const { signal } = this.stopping;
    const from = positionOf(this.position);
    for await (const item of events.subscribeAll({ after: from, types: MODULE_EVENT_TYPES, pageSize: PAGE, signal })) {
      if (signal.aborted) return;
      if (item.kind === 'caughtUp') {
        if (this.isFaulty) this.options.onFault(null);
        this.isFaulty = false;
        caughtUp();
        continue;
      }
      const { events: page, isOwn } = item.page;
      const unknown = page.filter((recorded) => !this.knows(recorded));
      for (const event of await signedOf({ events: unknown, ...(isOwn && { isOwn }) }, this.options))
        if (isOfModule(event)) this.apply(event);
      this.position = item.page.scannedTo;
    }
  }
}

function bySince(a: Module, b: Module): number {
  return a.since === b.since ? 0 : isBeyond(a.since, b.since) ? 1 : -1;
}

function changeOf(event: PlacedEvent, before: Module | undefined): DirectoryChange {
  if (event.type === 'MODULE_REGISTERED' || !before) return { kind: 'registered', trustEvents: 0 };
  if (event.type !== 'APT_EVENT') return { kind: 'status', trustEvents: 0 };
  const { outcomes } = event.data as unknown as AptEvent;
  const isDecided = outcomes.some(({ event_type }) => event_type === 'MANUAL_OVERRIDE');
  return {
    kind: isDecided ? 'decided' : 'trust',
    trustEvents: outcomes.filter(({ event_type }) => movesTrust(event_type)).length,
  };
}

/** The only way in which this sleep fails is the end. */
function pause(ms: number, signal: AbortSignal): Promise<void> {
  return sleep(ms, undefined, { signal }).catch(() => undefined);
}
