import type { AddressInfo } from 'node:net';

import { Module, type DynamicModule } from '@nestjs/common';
import { CommandBus, CqrsModule } from '@nestjs/cqrs';

import { RequestBindings, RevocationList, SignInLinks } from '#lib/access';
import { JobsModule } from '#lib/jobs';
import { PrivacyModule } from '#lib/privacy';
import { ReplayModule } from '#lib/replay';
import { SelfrepModule } from '#lib/selfrep';
import { ResponseSigner } from '#lib/signatures';

import { A2aController } from './a2a/a2a.controller.js';
import { A2a } from './a2a/a2a.js';
import { AuditController } from './audit/audit.controller.js';
import { AuditRuntimeModule } from './audit/audit.runtime.module.js';
import { AuthController } from './auth/auth.controller.js';
import { AuthRuntimeModule } from './auth/auth.runtime.module.js';
import { LocalAuthController } from './auth/local-auth.controller.js';
import { BrainStateController } from './brainstate/brainstate.controller.js';
import { BrainStateRuntimeModule } from './brainstate/brainstate.runtime.module.js';
import { BundlesController } from './bundles/bundles.controller.js';
import { BundlesRuntimeModule } from './bundles/bundles.runtime.module.js';
import { ConsoleController } from './console/console.controller.js';
import { OidcController } from './console/oidc.controller.js';
import { publicUrlOf } from './console/public-place.js';
import { SessionController } from './console/session.controller.js';
import { DsrController } from './dsr/dsr.controller.js';
import { DsrRuntimeModule } from './dsr/dsr.runtime.module.js';
import { HumanReviewRuntimeModule } from './governance/human-review.runtime.module.js';
import { type App, createEdge, type EdgeParts } from './edge/app.js';
import { Operations } from './edge/ask-operation.js';
import { DocsController } from './edge/docs.controller.js';
import { failureListener } from './edge/failure-listener.js';
import { faultLog } from './edge/fault-log.js';
import { socketRefuser } from './edge/http-options.js';
import { OpenApi } from './edge/openapi.js';
import { ActionRequestsController } from './governance/action-requests.controller.js';
import { GovernanceController } from './governance/governance.controller.js';
import { GovernanceRuntimeModule } from './governance/governance.runtime.module.js';
import { GraphqlController } from './graphql/graphql.controller.js';
import { Graphql, type GraphqlParts } from './graphql/graphql.js';
import { HaltsController } from './halts/halts.controller.js';
import { HaltsRuntimeModule } from './halts/halts.runtime.module.js';
import { UnreplayableController } from './halts/unreplayable.controller.js';
import { HealthRuntimeModule } from './health/health.runtime.module.js';
import { HistoryController } from './history/history.controller.js';
import { HistoryRuntimeModule } from './history/history.runtime.module.js';
import { IncidentsController } from './incidents/incidents.controller.js';
import { IncidentsRuntimeModule } from './incidents/incidents.runtime.module.js';
import { IntegrityController } from './integrity/integrity.controller.js';
import { IntegrityRuntimeModule } from './integrity/integrity.runtime.module.js';
import { JobsController } from './jobs/jobs.controller.js';
import { JobsRuntimeModule } from './jobs/jobs.runtime.module.js';
import { EffectiveSnapshotsModule } from './jobs/snapshots.js';
import { ReflectiveLogsController } from './jobs/reflective-logs.controller.js';
import { SemKeysController } from './memory/keys.controller.js';
import { LiveRuntimeModule } from './live/live.runtime.module.js';
import { SseSessions } from './live/sse-sessions.js';
import { JobProgressController } from './live/job-progress.controller.js';
import { TailController } from './live/tail.controller.js';
import { Mcp } from './mcp/mcp.js';
import { McpController } from './mcp/mcp.controller.js';
import type { McpParts } from './mcp/calls.js';
import { MeController } from './me/me.controller.js';
import { MemoryRuntimeModule } from './memory/memory.runtime.module.js';
import { SemController } from './memory/sem.controller.js';
import { MetricsRuntimeModule } from './metrics/metrics.runtime.module.js';
import { CriticsController } from './negotiation/critics.controller.js';
import { NegotiationsController } from './negotiation/negotiations.controller.js';
import { HitlRuntimeModule } from './negotiation/hitl.runtime.module.js';
import { NegotiationRuntimeModule } from './negotiation/negotiation.runtime.module.js';
import { PlatformModule } from './platform.module.js';
import type { Platform } from './platform.js';
import { ConsentsController } from './privacy/consents.controller.js';
import { PiiController } from './privacy/pii.controller.js';
import { PrivacyRuntimeModule } from './privacy/privacy.runtime.module.js';
import { ProjectionsController } from './projections/projections.controller.js';
import { ProjectionsRuntimeModule } from './projections/projections.runtime.module.js';
import { ParkingController } from './projections/parking.controller.js';
import { RebuildsController } from './projections/rebuilds.controller.js';
import { LogKeysController, ProofController } from './proof/proof.controller.js';
import { ReplayController } from './replay/replay.controller.js';
import { ReplayRuntimeModule } from './replay/replay.runtime.module.js';
import { SweepsController } from './replay/sweeps.controller.js';
import { SweepsRuntimeModule } from './replay/sweeps.runtime.module.js';
import { RouterController } from './router/router.controller.js';
import { FailuresController } from './selfrep/failures.controller.js';
import { ModuleController, ModulesController } from './selfrep/modules.controller.js';
import { SelfrepRuntimeModule } from './selfrep/selfrep.runtime.module.js';
import { TrustController } from './selfrep/trust.controller.js';
import { systemVersion } from './system-version.js';
import { traceCommands } from './tracing/traced-commands.js';
import { WellKnownController } from './wellknown/well-known.controller.js';

@Module({})
export class AppModule {
  static of(platform: Platform): DynamicModule {
    return {
      module: AppModule,
      imports: [
        CqrsModule,
        PlatformModule.of(platform),
        AuthRuntimeModule,
        ProjectionsRuntimeModule.global(),
        AuditRuntimeModule,
        BundlesRuntimeModule,
        MemoryRuntimeModule.on(platform),
        MetricsRuntimeModule.on(platform),
        HealthRuntimeModule.on(platform),
        GovernanceRuntimeModule.on(platform),
        SelfrepRuntimeModule,
        EffectiveSnapshotsModule,
        JobsRuntimeModule,
        BrainStateRuntimeModule,
        HistoryRuntimeModule,
        IncidentsRuntimeModule.on(platform),
        HaltsRuntimeModule,
        IntegrityRuntimeModule,
        HumanReviewRuntimeModule,
        NegotiationRuntimeModule,
        HitlRuntimeModule,
        LiveRuntimeModule,
        PrivacyRuntimeModule,
        PrivacyModule,
        DsrRuntimeModule.on(platform),
        JobsModule,
        ReplayRuntimeModule,
        SweepsRuntimeModule,
        ReplayModule,
        SelfrepModule,
      ],
      controllers: [
        DocsController,
        ConsoleController,
        OidcController,
        SessionController,
        LocalAuthController,
        AuditController,
        BundlesController,
        HistoryController,
        AuthController,
        SemController,
        SemKeysController,
        PiiController,
        ConsentsController,
        UnreplayableController,
        JobsController,
        ReflectiveLogsController,
        HaltsController,
        NegotiationsController,
        CriticsController,
        SweepsController,
        ReplayController,
        ProjectionsController,
        ParkingController,
        RebuildsController,
        RouterController,
        ActionRequestsController,
        GovernanceController,
        BrainStateController,
        ModulesController,
        ModuleController,
        TrustController,
        FailuresController,
        TailController,
        JobProgressController,
        IncidentsController,
        IntegrityController,
        DsrController,
        MeController,
        WellKnownController,
        ProofController,
        LogKeysController,
        GraphqlController,
        A2aController,
        McpController,
      ],
      providers: [OpenApi, Graphql, A2a, Mcp, SignInLinks],
    };
  }
}

/** The application on a platform, ready to listen or to be injected into. */
export async function createApp(platform: Platform): Promise<App> {
  const parts: EdgeParts = {
    authenticator: platform.authenticator,
    denials: platform.denials,
    refusals: platform.refusals,
    rateLimits: platform.rateLimits,
    proxies: platform.config.trustProxy,
    requestDigests: platform.requestDigests,
    bindings: new RequestBindings(platform.events),
    signer: new ResponseSigner(platform.ring.active('response-signature')),
    isPersonal: platform.isPersonal,
    now: () => Date.now(),
    answered: (answer) => platform.tallies.answered(answer),
    publicUrl: () => publicUrlOf(platform.config, app.fastify.server.address() as AddressInfo | null),
    log: platform.log,
  };
  const app = await createEdge(AppModule.of(platform), parts);
  app.nest.get(OpenApi).of(app.nest);
  const graphql = graphqlParts(app, platform, parts);
  app.nest.get(Graphql).over(graphql, app.fastify.server);
  app.nest.get(A2a).over(graphql);
  app.nest.get(Mcp).over(mcpParts(graphql, platform));
  traceCommands(app.nest.get(CommandBus, { strict: false }));
  tellReaders(app, platform);
  return app;
}

function tellReaders({ nest }: App, { tallies: { openReaders } }: Platform): void {
  const graphql = nest.get(Graphql);
  const sse = nest.get(SseSessions, { strict: false });
  openReaders
    .set('sse', () => sse.size)
    .set('websocket', () => graphql.open.sockets)
    .set('subscription', () => graphql.open.subscriptions);
}

/** What MCP asks: the same. */
function mcpParts({ operations, listener, denials, isPersonal }: GraphqlParts, { config }: Platform): McpParts {
  const hostnames = config.publicUrl ? [config.publicUrl.hostname] : [];
  const version = systemVersion().replace('mace-', '');
  return { operations, listener, denials, isPersonal, version, hostnames };
}

/** What GraphQL asks: the operations of the same controllers, by the same rules. */
function graphqlParts({ nest }: App, { config, log }: Platform, parts: EdgeParts): GraphqlParts {
  const operations = new Operations(parts, (controller) => nest.get<object>(controller, { strict: false }));
  const { authenticator, denials, refusals, rateLimits, proxies, isPersonal } = parts;
  const refuse = socketRefuser(parts);
  const revocations = nest.get(RevocationList, { strict: false });
  const access = { authenticator, denials, refusals, rateLimits, proxies, isPersonal, revocations, refuse };
  const listener = failureListener(parts, faultLog(log));
  return { ...access, operations, listener, introspection: config.graphqlIntrospection };
}
