import { isUtf8 } from 'node:buffer';
import type { IncomingHttpHeaders } from 'node:http';

import type { FastifyInstance } from 'fastify';

import { canonicalize, CanonicalJsonError, firstInexactNumber, MaceError } from '#lib/kernel';

import { MAX_BODY_BYTES } from './failure.js';

type Done = (error: Error | null, body?: unknown) => void;

/** JSON is the only kind of body there is: bytes that are not UTF-8, `__proto__` and malformed JSON are refused. */
export function acceptJsonOnly(fastify: FastifyInstance): void {
  const parse = fastify.getDefaultJsonParser('error', 'error');
  fastify.removeAllContentTypeParsers();
  fastify.addContentTypeParser(
    'application/json',
    { parseAs: 'buffer', bodyLimit: MAX_BODY_BYTES },
    (request, bytes: Buffer, done: Done) => {
      if (bytes.length === 0) return done(null, undefined);
      const coded = foreignCoding(request.headers);
      if (coded !== undefined) return done(invalid(coded));
      if (!isUtf8(bytes)) return done(invalid('body: bytes that are not UTF-8'));
      const text = bytes.toString('utf8');
      const inexact = MAYBE_INEXACT.test(text) && firstLossyNumber(text);
      if (inexact) return done(invalid('body: a number with more digits than a double keeps; send it as text'));
      void parse(request, text, ((error, body) => {
        if (error && isJson(text)) return done(invalid(`body: ${FORBIDDEN_NAMES}`));
        if (!error && namesTwice(text, body)) return done(invalid(repeatedIn(text)));
        done(error, body);
      }) as Done as never);
    },
  );
}

const FORBIDDEN_NAMES = 'no member may be named __proto__, nor constructor where it holds a prototype';
const CHARSETS = /;\s*charset\s*=\s*"?([^";\s]+)/gi;

/** Why a body is in a form that would be read wrongly; undefined for UTF-8 as it is. */
function foreignCoding(headers: IncomingHttpHeaders): string | undefined {
  const type = headers['content-type'] ?? '';
  // Of two that are named, readers between here and there may believe either.
  for (const [, charset] of type.includes(';') ? type.matchAll(CHARSETS) : []) {
    if (!['utf-8', 'utf8'].includes(charset!.toLowerCase())) return 'Content-Type: charset utf-8 only';
  }
  const encoding = headers['content-encoding']?.trim().toLowerCase() ?? 'identity';
  return encoding === 'identity' ? undefined : 'Content-Encoding: identity only; send the body as it is';
}

/** Whether the parser refused a text for its names only. */
function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** Whether an object of a sound JSON text names a member twice. @param value what the text was parsed as */
export function namesTwice(text: string, value: unknown): boolean {
  return keysIn(text) !== membersOf(value);
}

/** How many members the objects of a JSON text name; one that is named twice counts twice. */
function keysIn(text: string): number {
  let keys = 0;
  for (const [, colon] of text.matchAll(/"[^"\\]*(?:\\.[^"\\]*)*"(\s*:)?/g)) if (colon !== undefined) keys++;
  return keys;
}

const SPOKEN = /^\w{1,64}$/;

/** Which member it is that a sound JSON text names twice; a long or odd name is not repeated. */
function repeatedIn(text: string): string {
  const said = 'body: an object names a member twice';
  const open: Set<string>[] = [];
  nest(open, text.slice(0, text.indexOf('"')));
  const strings = [...text.matchAll(STRINGS)];
  for (const [i, { 0: word, index }] of strings.entries()) {
    const between = text.slice(index + word.length, strings[i + 1]?.index);
    if (between.trimStart().startsWith(':')) {
      const name = JSON.parse(word) as string;
      if (open.at(-1)?.has(name)) return SPOKEN.test(name) ? `${said}: ${name}` : said;
      open.at(-1)?.add(name);
    }
    nest(open, between);
  }
  return said;
}

/** Goes into and out of objects, as a part of the text without strings does. */
function nest(open: Set<string>[], part: string): void {
  for (const sign of part) {
    if (sign === '{') open.push(new Set());
    else if (sign === '}') open.pop();
  }
}

/** How many members the objects of a parsed body have. */
function membersOf(body: unknown): number {
  let members = 0;
  const stack = [body];
  while (stack.length > 0) {
    const value = stack.pop();
    if (typeof value !== 'object' || value === null) continue;
    const held = Object.values(value);
    if (!Array.isArray(value)) members += held.length;
    for (const item of held) if (typeof item === 'object') stack.push(item);
  }
  return members;
}

/**
 * Text of a request for its digest: null for an optional field means absent, and a required one refuses it, so that a
 * member that is null and one that is not there are the same request.
 * @param text the body's canonical text
 */
export function requestText(body: unknown, text: string): string {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return text;
  const given = Object.entries(body).filter(([, value]) => value !== null);
  return given.length === Object.keys(body).length ? text : canonicalize(Object.fromEntries(given));
}

/**
 * Canonical text of a parsed body, for its digest; what has no canonical form never reaches a handler.
 * @throws MaceError INVALID_INPUT naming the place
 */
export function soundText(body: unknown): string {
  let text: string;
  try {
    text = canonicalize(body);
  } catch (error) {
    if (error instanceof CanonicalJsonError) throw invalid(`${placeOf(error.pointer)}: ${error.reason}`);
    throw error;
  }
  const inexact = firstInexactNumber(body);
  if (inexact !== null) throw invalid(`${placeOf(inexact)}: a number with more than 9 decimals; send it as text`);
  // The escape may also stand for a backslash and four letters, so a hit is looked at closely.
  if (text.includes('\\u0000') && holdsNul(body)) throw invalid('body: a NUL character');
  return text;
}

/** @throws MaceError INVALID_INPUT for a text that no stored record may hold */
export function refuseNul(text: string, place: string): void {
  if (text.includes('\0')) throw invalid(`${place}: a NUL character`);
}

function holdsNul(value: unknown): boolean {
  if (typeof value === 'string') return value.includes('\0');
  if (typeof value !== 'object' || value === null) return false;
  return Object.entries(value).some(([key, item]) => key.includes('\0') || holdsNul(item));
}

const MAYBE_INEXACT = /[0-9][0-9.]{15}/;
const STRINGS = /"(?:[^"\\]|\\.)*"/g;
const NUMBERS = /-?[0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/g;

/** Whether a number in the text reads back as another number. */
function firstLossyNumber(text: string): boolean {
  const numbers = text.replace(STRINGS, '""').match(NUMBERS) ?? [];
  return numbers.some((number) => number.length > 15 && decimal(number) !== decimal(String(Number(number))));
}

/** Significant digits and exponent, so that 1.50 and 15e-1 compare equal. */
function decimal(number: string): string {
  const [mantissa = '', exponent = '0'] = number.replace('-', '').toLowerCase().split('e');
  const [whole = '', fraction = ''] = mantissa.split('.');
  const digits = (whole + fraction).replace(/^0+/, '');
  let end = digits.length;
  while (digits.charAt(end - 1) === '0') end--;
  const significant = digits.slice(0, end);
  return `${significant} ${Number(exponent) - fraction.length + digits.length - significant.length}`;
}

/** A pointer into the caller's own request; long or odd keys are not repeated. */
function placeOf(pointer: string): string {
  return /^[\w/~-]{1,120}$/.test(pointer) ? `body${pointer}` : 'body';
}

function invalid(message: string): MaceError {
  return new MaceError('INVALID_INPUT', message);
}
