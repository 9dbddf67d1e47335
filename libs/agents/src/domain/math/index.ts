export type { MathAnswer } from './answer.js';
export { verifyMathAnswer } from './answer-check.js';
export { arithmeticSentence, evaluateArithmetic } from './arithmetic.js';
export { parseMathQuery } from './query.js';
export type { MathTask } from './tasks.js';
