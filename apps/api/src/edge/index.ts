export { requireElevated } from '#lib/access';
export * from './ctx.js';
export * from './etag.js';
export * from './page-query.js';
export * from './permission.js';
