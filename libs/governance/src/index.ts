export * from './domain/snapshot.js';
export * from './snapshots.js';
