export * from './agent.js';
export * from './knowledge-agent.js';
export * from './language-agent.js';
export * from './math-agent.js';
export * from './operational-agent.js';
export * from './profile-agent.js';
export * from './verification-agent.js';
export { MathEngine } from './math/math-engine.js';
export { verifyMathAnswer } from './domain/math/index.js';
