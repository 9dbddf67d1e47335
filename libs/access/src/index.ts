export * from './authorize.js';
export * from './permissions.js';
export * from './principal.js';
