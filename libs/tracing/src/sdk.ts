import { randomBytes } from 'node:crypto';

import { core, NodeSDK, resources, type tracing } from '@opentelemetry/sdk-node';

import { turnTracing, wantedTraceId } from './spans.js';

export interface SdkOptions {
  readonly version: string;
  /** Told of each export that failed. */
  readonly onFault: (error: unknown) => void;
  /** Who gets the spans; as the environment says where absent. */
  readonly processors?: tracing.SpanProcessor[];
}

/** Registers the SDK, set up by the environment; nothing but spans is made or exported. */
export function startSdk({ version, onFault, processors }: SdkOptions): NodeSDK {
  core.setGlobalErrorHandler(onFault);
  const names = { 'service.name': 'mace', 'service.version': version };
  const sdk = new NodeSDK({
    resource: resources.defaultResource().merge(resources.resourceFromAttributes(names)),
    // The others tell of the command line and of the user of the system.
    resourceDetectors: [resources.envDetector],
    idGenerator: { generateTraceId: () => wantedTraceId() ?? drawn(16), generateSpanId: () => drawn(8) },
    textMapPropagator: null,
    metricReaders: [],
    logRecordProcessors: [],
    instrumentations: [],
    ...(processors && { spanProcessors: processors }),
  });
  sdk.start();
  turnTracing(true);
  return sdk;
}

function drawn(bytes: number): string {
  return randomBytes(bytes).toString('hex');
}
