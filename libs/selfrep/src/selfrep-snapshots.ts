import type { Snapshot, Snapshots } from '#lib/governance';
import { canonicalize } from '#lib/kernel';

import { chunkBody, chunked, sameModules, selfrepBody, snapshotModule, type SnapshotModule } from './domain/chunks.js';
import type { SelfrepConstants } from './domain/constants.js';
import type { Module } from './domain/module.js';
import { type Callability, EVERYTHING } from './ports.js';
import type { DirectoryChange, ModuleDirectory } from './module-directory.js';
import { rememberModules } from './snapshot-modules.js';

interface Chunk {
  readonly modules: readonly SnapshotModule[];
  readonly id: string;
}

/**
 * The selfrep snapshot that jobs pin from now on: made anew at once where a status changed or people set a trust, soon
 * where a module registered, otherwise after a fixed number of trust events. A job that runs keeps the one it pinned.
 */
export class SelfrepSnapshots {
  private chunks: readonly Chunk[] = [];
  private readonly entries = new Map<string, { readonly of: Module; readonly entry: SnapshotModule }>();
  private newest: Snapshot | undefined;
  private trustEvents = 0;
  private running: Promise<void> | undefined;
  private again = false;
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly snapshots: Pick<Snapshots, 'ensure'>,
    private readonly directory: ModuleDirectory,
    private readonly constants: SelfrepConstants,
    private readonly onFault: (error: unknown) => void,
    private readonly callability: Callability = EVERYTHING,
  ) {}

  /** @throws Error before the first `renew` */
  get current(): Snapshot {
    if (!this.newest) throw new Error('no selfrep snapshot was made yet');
    return this.newest;
  }

  /** What happened to the directory; begins a new snapshot where one is due. */
  take(change: DirectoryChange): void {
    this.trustEvents += change.trustEvents;
    if (change.kind === 'registered') return this.renewSoon();
    if (change.kind === 'trust' && this.trustEvents < this.constants.snapshot_every_trust_events) return;
    void this.renew().catch(this.onFault);
  }

  /**
   * Settles once a snapshot of the modules as they are now, or newer, is the current one. Calls while one is being made
   * share the next.
   */
  async renew(): Promise<void> {
    if (this.running) {
      this.again = true;
      return this.running;
    }
    this.running = this.makeAll();
    try {
      await this.running;
    } finally {
      this.running = undefined;
    }
  }

  /** Settles once nothing is being made, whatever came of it. */
  async settled(): Promise<void> {
    // Whoever began it is told of its failure.
    await this.running?.catch(() => undefined);
  }

  async stop(): Promise<void> {
    clearTimeout(this.timer);
    await this.settled();
  }

  private renewSoon(): void {
    if (this.timer) return;
    this.timer = setTimeout(() => {
      this.timer = undefined;
      void this.renew().catch(this.onFault);
    }, this.constants.registration_settle_ms).unref();
  }

  private async makeAll(): Promise<void> {
    do {
      this.again = false;
      await this.make();
    } while (this.again);
  }

  private async make(): Promise<void> {
    this.trustEvents = 0;
    // As they are now: what changes while this is made belongs to the next.
    const constants = { ...this.constants };
    const modules = this.directory.all().map((module) => this.entryOf(module));
    const chunks: Chunk[] = [];
    for (const [i, part] of chunked(modules, constants.chunk_size).entries()) {
      const before = this.chunks[i];
      if (before && sameModules(before.modules, part)) chunks.push(before);
      else chunks.push({ modules: part, id: (await this.snapshots.ensure('selfrep', chunkBody(part))).snapshot_id });
    }
    const ids = chunks.map(({ id }) => id);
    this.chunks = chunks;
    const snapshot = await this.snapshots.ensure('selfrep', selfrepBody(ids, modules.length, constants));
    if (snapshot.snapshot_id === this.newest?.snapshot_id) return;
    rememberModules(snapshot, modules);
    this.newest = snapshot;
  }

  /** The same object for as long as it would say the same, so that a chunk that did not change is recognised. */
  private entryOf(module: Module): SnapshotModule {
    const before = this.entries.get(module.node_id);
    const whyNot = this.callability.whyNot(module);
    if (before?.of === module && (before.entry.not_callable ?? null) === whyNot) return before.entry;
    const fresh = snapshotModule(module, whyNot);
    const entry = before && canonicalize(before.entry) === canonicalize(fresh) ? before.entry : fresh;
    this.entries.set(module.node_id, { of: module, entry });
    return entry;
  }
}
