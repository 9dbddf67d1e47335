export * from './ctx.js';
export * from './doc.js';
export * from './etag.js';
export * from './page-query.js';
export { Permission, Public } from './permission.js';
export * from './unredacted-query.js';
export * from './up-to-head.js';
