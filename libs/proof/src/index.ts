export * from './proof-log.js';
