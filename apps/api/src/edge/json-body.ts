import { isUtf8 } from 'node:buffer';

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
      if (!isUtf8(bytes)) return done(invalid('body: bytes that are not UTF-8'));
      const text = bytes.toString('utf8');
      const inexact = MAYBE_INEXACT.test(text) && firstLossyNumber(text);
      if (inexact) return done(invalid('body: a number with more digits than a double keeps; send it as text'));
      void parse(request, text, done as never);
    },
  );
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
  const significant = digits.replace(/0+$/, '');
  return `${significant} ${Number(exponent) - fraction.length + digits.length - significant.length}`;
}

/** A pointer into the caller's own request; long or odd keys are not repeated. */
function placeOf(pointer: string): string {
  return /^[\w/~-]{1,120}$/.test(pointer) ? `body${pointer}` : 'body';
}

function invalid(message: string): MaceError {
  return new MaceError('INVALID_INPUT', message);
}
