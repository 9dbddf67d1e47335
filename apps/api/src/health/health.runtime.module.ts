import { type DynamicModule, Module } from '@nestjs/common';

import { IncidentList } from '#lib/incidents';
import { ProjectionHost } from '#lib/projections';

import { freeBytesOf } from '../free-bytes.js';
import type { Platform } from '../platform.js';
import { HealthController } from './health.controller.js';
import { inWords, Readiness } from './readiness.js';

/** Whether a process can serve, from the parts that it is made of. */
@Module({})
export class HealthRuntimeModule {
  static on(platform: Platform): DynamicModule {
    const { eventStore, readStore, appendFault, ring, cacheState, engineState, faults, room, config, log } = platform;
    const freeBytes = (): Promise<number> => freeBytesOf(config.dataDir);
    const make = (host: ProjectionHost, incidents: IncidentList): Readiness =>
      new Readiness({
        eventStore,
        readStore,
        appendFault,
        ring,
        cacheState,
        engineState,
        isAfterCrash: () => faults.isDown('process'),
        lasting: () => incidents.lasting(),
        storage: () => room.look(),
        freeBytes,
        projections: () => host.list(),
        onChange: (failed) =>
          failed.length === 0
            ? log.info({}, 'ready again')
            : log.warn({ reason: inWords(failed) }, 'not ready: /health/ready answers 503 until this is over'),
      });
    return {
      module: HealthRuntimeModule,
      providers: [{ provide: Readiness, inject: [ProjectionHost, IncidentList], useFactory: make }],
      controllers: [HealthController],
    };
  }
}
