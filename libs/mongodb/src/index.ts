export * from './connection.js';
export * from './failures.js';
export * from './url.js';
