/** Bounds that keep every calculation short and small, whatever the text asks for. */
export const MATH_LIMITS = {
  /** characters of a query */
  queryLength: 1_000,
  tokens: 400,
  /** nesting of brackets, signs, powers and functions */
  depth: 64,
  /** decimal digits of a result */
  digits: 2_000,
  /** decimal digits of any whole number, numerator or denominator on the way to it (1000! has 2,568) */
  workingDigits: 4_000,
  /** decimal digits below a fraction's line; reducing longer ones would cost milliseconds each */
  denominatorDigits: 500,
  factorial: 1_000,
  /** arguments of one function, members of one list */
  listLength: 200,
  /** highest power that is handed to the symbolic engine */
  symbolicPower: 100,
  /** characters of a claimed answer that the verifier reads */
  answerLength: 4_000,
} as const;

/** A limit was hit, or the text can be read in two ways. The message is a sentence part for a person. */
export class MathRefusal extends Error {
  override readonly name = 'MathRefusal';
}

/** The expression is understood and has no real value; the message says why, in words. */
export class MathUndefined extends Error {
  override readonly name = 'MathUndefined';
}

/** The text is not mathematics that this grammar knows. */
export class MathSyntax extends Error {
  override readonly name = 'MathSyntax';
}

/** 2000 as "2,000". */
export function thousands(n: number): string {
  return String(n).replace(/\B(?=(?:\d{3})+$)/g, ',');
}
