export * from './driver.js';
export * from './errors.js';
