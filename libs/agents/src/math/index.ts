export * from '../domain/math/index.js';
export { MathEngine, type MathEngineOptions } from './math-engine.js';
