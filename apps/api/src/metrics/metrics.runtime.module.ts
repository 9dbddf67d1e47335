import { type DynamicModule, Module } from '@nestjs/common';
import { CommandBus, CqrsModule } from '@nestjs/cqrs';

import { NegotiationList } from '#lib/negotiation';
import { ProjectionHost } from '#lib/projections';

import type { Platform } from '../platform.js';
import { MetricsController } from './metrics.controller.js';
import { Metrics } from './metrics.js';

/** Metrics of a process; with their route where they have no port of their own. */
@Module({})
export class MetricsRuntimeModule {
  static on(platform: Platform): DynamicModule {
    const make = (host: ProjectionHost, negotiations: NegotiationList, bus: CommandBus): Metrics =>
      new Metrics(platform, host, negotiations, bus);
    return {
      module: MetricsRuntimeModule,
      imports: [CqrsModule],
      providers: [{ provide: Metrics, inject: [ProjectionHost, NegotiationList, CommandBus], useFactory: make }],
      controllers: platform.config.metricsPort === undefined ? [MetricsController] : [],
    };
  }
}
