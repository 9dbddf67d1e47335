export * from '../domain/math/index.js';
export { MathEngine } from './math-engine.js';
