export * from './data-folder.js';
export * from './driver.js';
export * from './errors.js';
export * from './file-owner.js';
export { FileWorker, FileWorkerGoneError } from './file-worker.js';
export * from './online-copy.js';
export * from './store-file.js';
