export { writeCursor } from './cursor.js';
export { DigestBuilder } from './digest.js';
export * from './errors.js';
export * from './memory/memory-read-store.js';
export { openMongoReadStore } from './mongodb/mongodb-read-store.js';
export * from './port.js';
export * from './sqlite/sqlite-read-store.js';
