/** What a page verifies bundles with; the build gives it `node:crypto` and its like (scripts/lib/console.mjs). */
export { MAX_DOCUMENT_BYTES, MAX_FILE_BYTES } from './bundle.js';
export type { Report } from './report.js';
export { readable } from './report-text.js';
export { NoteError, parseVkey } from './signed-note.js';
export { verifyBundle } from './verify.js';
