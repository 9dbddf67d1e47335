import { type Expr, map, some, variablesOf } from './ast.js';
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
  /^\d+(?:-\d+){3,}$/,
  /^(?:24\/7|9-5|50\/50)$/,
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
  const plain = plainText(query);
  if (/[^\x20-\x7e°]/.test(plain) || /\b0x/.test(plain)) return null;
  const { body, command } = strip(plain);
  if (body === '' || (!command && LOOKALIKES.some((p) => p.test(body)))) return null;
  const spoken = spokenOperators(body);
  const calculus = calculusTask(spoken);
  if (calculus !== null) return calculus;
  const list = spokenList(spoken);
  if (list === null)
    throw new MathRefusal(
      'the commas can part numbers or thousands; please put a blank after each comma that parts numbers',
    );
  return arithmeticTask(list, command);
}

/** Long text is refused as mathematics only when it is plainly a formula. */
function readOverlong(query: string): MathTask | null {
  if (!/\d/.test(query) || !/^[\d\s+\-*/^().,!%=x×÷−]*$/.test(query)) return null;
  return { kind: 'refused', reason: `the formula is longer than ${thousands(MATH_LIMITS.queryLength)} characters` };
}

function strip(plain: string): { body: string; command: boolean } {
  let body = plain;
  let command = false;
  for (let i = 0; i < 6; i += 1) {
    const lead = LEAD.exec(body)?.[0];
    if (lead === undefined) break;
    command ||= COMMAND.test(lead);
    body = body.slice(lead.length);
  }
  for (let i = 0; i < 6; i += 1) {
    const tail = TAIL.exec(body)?.[0];
    if (tail === undefined) break;
    body = body.slice(0, body.length - tail.length);
  }
  return { body: body.trim(), command };
}

function arithmeticTask(text: string, command: boolean): MathTask | null {
  if (!/[\d)]|\bpi\b|\be\b/.test(text)) return null;
  const expr = map(parseExpression(text), (e) => (e.kind === 'call' && e.fn === 'log' ? { ...e, fn: 'log10' } : e));
  if (variablesOf(expr).length > 0 || some(expr, (e) => e.kind === 'constant' && e.name === 'infinity')) return null;
  return asksForSomething(expr, command) ? { kind: 'arithmetic', expr } : null;
}

/** A bare number, or a number with a sign, is no question. */
function asksForSomething(e: Expr, command: boolean): boolean {
  if (e.kind === 'negate') return asksForSomething(e.arg, command);
  if (e.kind === 'percent') return command;
  return e.kind !== 'number' && (e.kind !== 'constant' || command);
}
