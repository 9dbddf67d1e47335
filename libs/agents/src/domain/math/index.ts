export type { MathAnswer } from './answer.js';
export { verifyMathAnswer } from './answer-check.js';
export type { MathVerdict } from './verdict.js';
export { type ArithmeticResult, arithmeticSentence, evaluateArithmetic } from './arithmetic.js';
export { MATH_LIMITS } from './limits.js';
export { parseMathQuery } from './query.js';
export type { MathTask, SymbolicTask } from './tasks.js';
