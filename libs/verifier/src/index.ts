export * from './canonical.js';
export * from './checkpoint.js';
export * from './leaf.js';
export * from './merkle.js';
export * from './signed-note.js';
