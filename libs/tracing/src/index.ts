export * from './begin.js';
export * from './settings.js';
export { beginSpan, isTracing, type LiveSpan, traced, type Traced, traceUnderWay } from './spans.js';
export * from './trace-ids.js';
