import { type Expr, some, substitute, variablesOf } from './ast.js';
import { MATH_LIMITS, MathRefusal, MathSyntax, MathUndefined, thousands } from './limits.js';
import { parseExpression } from './parser.js';
import { calculusTask } from './calculus-query.js';
import type { MathTask } from './tasks.js';
import { plainText } from './tokenizer.js';
import { spokenList, spokenOperators } from './words.js';

const LEAD =
  /^(?:(?:please|hey|hi|hello|ok|okay|so|now|mace)[ ,]+|(?:can|could|would|will) you (?:please )?|(?:what's|whats|what is|what are|what does|how much is|how much are|calculate|compute|evaluate|work out|figure out|determine|find|find out|tell me|give me|show me|do)(?: |:)+(?:please )?|(?:the )?(?:value|result|answer) (?:of|to|for) )/;
const TAIL = /(?: please|[?. ]+|(?<=[a-z]{3}|[? ])!+| equals?(?: to)?(?: what)?| ?=(?: ?\?)?| make| is(?: what)?)$/;
const COMMAND = /^(?:calculate|compute|evaluate|work out)\b/;

/** Written like sums, and nothing of the kind: dates, telephone numbers, SSNs, times, versions, hexadecimal. */
const LOOKALIKES: readonly RegExp[] = [
  /^\d{4}[-/]\d{1,2}[-/]\d{1,2}$/,
  /^\d{1,2}[-/]\d{1,2}[-/](?:\d{4}|\d{2})$/,
  /^\+?(?:\d[- ]?)?\(?\d{3}\)?[- ]?\d{3}-\d{4}$/,
  /^\d{3}-\d{4}$/,
  /^\d{3}-\d{2}-\d{4}$/,
  /^\d{4}-\d{4}-\d{4}-\d{4}$/,
  /^\+\d/,
  /^(?=.*\d{3})\d+(?:-\d+){3,}$/,
  /^(?:24\/7|9-5|50\/50|9\/11|20\/20)$/,
];

/**
 * Reads a query as mathematics. Null when it is not (never a guess); `refused` when it is, and hits a limit or can be
 * read in two ways. Pure and total: never throws.
 */
export function parseMathQuery(query: string): MathTask | null {
  try {
    return read(query);
  } catch (problem) {
    if (problem instanceof MathRefusal || problem instanceof MathUndefined)
      return { kind: 'refused', reason: problem.message };
    if (problem instanceof MathSyntax) return null;
    throw problem;
  }
}

function read(query: string): MathTask | null {
  if (query.length > MATH_LIMITS.queryLength) return readOverlong(query);
  const plain = withoutCurrency(plainText(query));
  if (/[^\x20-\x7e°]/.test(plain) || /\b0x/.test(plain)) return null;
  const { body, command } = strip(plain);
  if (body === '' || (!command && LOOKALIKES.some((p) => p.test(body)))) return null;
  const spoken = spokenOperators(body);
  const calculus = calculusTask(spoken) ?? primeTask(spoken) ?? valueTask(spoken);
  return calculus ?? arithmeticTask(listed(spoken), command);
}

function listed(spoken: string): string {
  const list = spokenList(spoken);
  if (list === null)
    throw new MathRefusal(
      'the commas can part numbers or thousands; please put a blank after each comma that parts numbers',
    );
  return list;
}

/** "$5 + $3": amounts in one currency, where leaving its sign out changes nothing. */
function withoutCurrency(plain: string): string {
  const amounts = plain.match(/[$€£](?=\.?\d)/g) ?? [];
  if (amounts.length === 0 || new Set(amounts).size > 1) return plain;
  const sumsOnly = !/[*/^%!]|times|divided|multipl|\d ?x ?\d/.test(plain);
  return amounts.length === 1 || sumsOnly ? plain.replace(/[$€£](?=\.?\d)/g, '') : plain;
}

const PRIME = /^(?:is |(?:check |tell me )?(?:if|whether) )(.+?) (?:is )?(?:a )?prime(?: number)?$/;

/** "is 17 prime" */
function primeTask(text: string): MathTask | null {
  const asked = PRIME.exec(text)?.[1];
  if (asked === undefined) return null;
  const expr = parseExpression(asked);
  return variablesOf(expr).length > 0 ? null : { kind: 'prime', expr };
}

const AT = /^(.+?) (?:at|when|where|for|if|with) ([a-z] ?=[^=]+(?:(?:,| and) ?[a-z] ?=[^=]+)*)$/;

/** "3x^2 at x = 2": the formula with its values in place. */
function valueTask(text: string): MathTask | null {
  const [, body, given] = AT.exec(text) ?? [];
  if (body === undefined || given === undefined || body.includes('=')) return null;
  let expr = parseExpression(body);
  for (const part of given.split(/, ?| and (?=[a-z] ?=)/)) {
    const [name = '', value = ''] = part.split('=').map((side) => side.trim());
    const number = parseExpression(value);
    if (!variablesOf(expr).includes(name) || variablesOf(number).length > 0) return null;
    expr = substitute(expr, name, number);
  }
  return variablesOf(expr).length > 0 ? null : { kind: 'arithmetic', expr };
}

/** The formula without variables that a part of a claim is ("42", "20% of 250", "the square root of 16"); null when it is none. */
export function readNumber(text: string): Expr | null {
  try {
    if (text.length > MATH_LIMITS.queryLength) return null;
    const plain = withoutCurrency(plainText(text));
    if (/[^\x20-\x7e°]/.test(plain)) return null;
    const expr = parseExpression(listed(spokenOperators(strip(plain).body)));
    return variablesOf(expr).length > 0 ? null : expr;
  } catch (problem) {
    if (problem instanceof MathSyntax || problem instanceof MathRefusal) return null;
    throw problem;
  }
}

/** Long text is refused as mathematics only when it is plainly a formula. */
function readOverlong(query: string): MathTask | null {
  const { body } = withoutLead(plainText(query));
  if (!/\d/.test(body) || !/^[\d\s+\-*/^().,!%=x?]*$/.test(body)) return null;
  return { kind: 'refused', reason: `the formula is longer than ${thousands(MATH_LIMITS.queryLength)} characters` };
}

interface Asked {
  readonly body: string;
  /** Whether it begins with a verb of reckoning. */
  readonly command: boolean;
}

function withoutLead(plain: string): Asked {
  let body = plain;
  let command = false;
  for (let i = 0; i < 6; i += 1) {
    const lead = LEAD.exec(body)?.[0];
    if (lead === undefined) break;
    command ||= COMMAND.test(lead);
    body = body.slice(lead.length);
  }
  return { body, command };
}

function strip(plain: string): Asked {
  const { body: rest, command } = withoutLead(plain);
  let body = rest;
  for (let i = 0; i < 6; i += 1) {
    const tail = TAIL.exec(body)?.[0];
    if (tail === undefined) break;
    body = body.slice(0, body.length - tail.length);
  }
  return { body: body.trim(), command };
}

function arithmeticTask(text: string, command: boolean): MathTask | null {
  if (!/[\d)]|\bpi\b|\be\b/.test(text)) return null;
  const expr = parseExpression(text);
  if (variablesOf(expr).length > 0 || some(expr, (e) => e.kind === 'constant' && e.name === 'infinity')) return null;
  return asksForSomething(expr, command) ? { kind: 'arithmetic', expr } : null;
}

/** A bare number, or a number with a sign, is no question. */
function asksForSomething(e: Expr, command: boolean): boolean {
  if (e.kind === 'negate') return e.arg.kind === 'negate' || asksForSomething(e.arg, command);
  if (e.kind === 'percent') return command;
  return e.kind !== 'number' && (e.kind !== 'constant' || command);
}
