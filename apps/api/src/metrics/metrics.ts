import { type CommandBus } from '@nestjs/cqrs';

import { KeyCardinality } from '#lib/memory';
import type { NegotiationList } from '#lib/negotiation';
import { type ProjectionHost } from '#lib/projections';

import { systemVersion } from '../configuration-files.js';
import type { Platform } from '../platform.js';
import type { Exposition } from './exposition.js';
import { observe, type Sources, type StorageSeen } from './observed.js';

export interface MetricsText {
  readonly contentType: string;
  readonly text: string;
}

/** What a process tells of itself to whoever watches over it; nothing of its content, and nothing of anybody. */
export class Metrics {
  private exposition: Promise<Exposition> | undefined;
  private underWay: Promise<MetricsText> | undefined;
  private readonly cardinality: KeyCardinality;

  constructor(
    private readonly platform: Platform,
    private readonly host: Pick<ProjectionHost, 'list'>,
    private readonly negotiations: Pick<NegotiationList, 'countOpen'>,
    bus: CommandBus,
  ) {
    this.cardinality = new KeyCardinality(platform.readStore, () => performance.now());
    const { commands } = platform.tallies;
    bus.subscribe((command) => commands.count(command.constructor.name));
  }

  /** Who asks while it is made gets the same: however many ask, the stores are asked once at a time. */
  read(): Promise<MetricsText> {
    return (this.underWay ??= this.made().finally(() => (this.underWay = undefined)));
  }

  private async made(): Promise<MetricsText> {
    const observed = await observe(this.sources());
    const exposition = await (this.exposition ??= this.load());
    return { contentType: exposition.contentType, text: await exposition.text(observed) };
  }

  /** The library takes longer to load than a start may wait for what may never be asked. */
  private async load(): Promise<Exposition> {
    const { Exposition } = await import('./exposition.js');
    const { tallies, events } = this.platform;
    return new Exposition({ tallies, stateReads: events.stateReads });
  }

  private sources(): Sources {
    const { config, eventStore, proof, appendFault, cacheState, engineState, spool, room } = this.platform;
    const { storageQuotaBytes: quotaBytes } = config;
    const build = {
      version: systemVersion(),
      event_store: config.eventStore,
      read_store: config.mongoDb ? 'mongodb' : 'embedded',
      cache: config.redis ? 'redis' : 'memory',
    };
    const projections = (): ReturnType<ProjectionHost['list']> => this.host.list();
    const stores = { eventStore, proof, appendFault, cacheState, engineState, spool };
    const storage = (): StorageSeen => ({
      isFull: room.look() !== null,
      usedBytes: quotaBytes === undefined ? undefined : room.used,
      quotaBytes,
    });
    const openNegotiations = (): Promise<number> => this.negotiations.countOpen();
    const keys = (): ReturnType<KeyCardinality['latest']> => this.cardinality.latest();
    const lists = { projections, openNegotiations, keys };
    return { build, dataDir: config.dataDir, ...stores, storage, ...lists, now: () => Date.now() };
  }
}
