import { collectDefaultMetrics, Registry } from 'prom-client';

let registry: Registry | undefined;

/**
 * Processor time, memory, garbage collection and the delay of the event loop. They are the process's, however many
 * applications run in it, and are measured from the first time that somebody asks.
 */
export function processMetrics(): Registry {
  if (!registry) {
    registry = new Registry();
    collectDefaultMetrics({ register: registry });
  }
  return registry;
}
