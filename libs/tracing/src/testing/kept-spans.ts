import { context, trace } from '@opentelemetry/api';
import { tracing } from '@opentelemetry/sdk-node';

import { startSdk } from '../sdk.js';
import { turnTracing } from '../spans.js';

/** Spans that are kept where they were made, for a test to look at; one for each process. */
export class KeptSpans {
  private readonly exporter = new tracing.InMemorySpanExporter();
  private readonly sdk = startSdk({
    version: 'test',
    onFault: () => undefined,
    processors: [new tracing.SimpleSpanProcessor(this.exporter)],
  });

  /** Those that ended. */
  all(): readonly tracing.ReadableSpan[] {
    return this.exporter.getFinishedSpans();
  }

  named(name: string): readonly tracing.ReadableSpan[] {
    return this.all().filter((span) => span.name === name);
  }

  clear(): void {
    this.exporter.reset();
  }

  async end(): Promise<void> {
    turnTracing(false);
    await this.sdk.shutdown();
    // The next one in this process is registered only where none is.
    trace.disable();
    context.disable();
  }
}
