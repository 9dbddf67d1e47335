import { Module, type DynamicModule } from '@nestjs/common';

import type { EventDefinition } from '#lib/kernel';

import { createEdge, type App } from './edge/app.js';
import { DocsController } from './edge/docs.controller.js';
import { LocalController } from './edge/local.controller.js';
import { OpenApi } from './edge/openapi.js';
import { HealthController } from './health/health.controller.js';
import { PlatformModule } from './platform.module.js';
import type { Platform } from './platform.js';

/** Every event type that a process can write or read, besides those of access. */
export const EVENT_DEFINITIONS: readonly EventDefinition[] = [];

@Module({})
export class AppModule {
  static of(platform: Platform): DynamicModule {
    return {
      module: AppModule,
      imports: [PlatformModule.of(platform)],
      controllers: [HealthController, DocsController, LocalController],
      providers: [OpenApi],
    };
  }
}

/** The application on a platform, ready to listen or to be injected into. */
export async function createApp(platform: Platform): Promise<App> {
  const app = await createEdge(AppModule.of(platform), {
    authenticator: platform.authenticator,
    denials: platform.denials,
    requestKey: platform.ring.active('request-hmac'),
    isPersonal: platform.isPersonal,
    now: Date.now,
    log: platform.log,
  });
  app.nest.get(OpenApi).of(app.nest);
  return app;
}
