import { readFileSync } from 'node:fs';

import { keysIn, verifyAnswer, type ResponseKey } from '#lib/signatures';

import type { Context } from '../context.js';
import { CommandError, EXIT, type ExitCode } from '../exit-codes.js';
import { plain } from '../io.js';
import { savedAnswer, SavedAnswerError, type SavedAnswer } from '../saved-answer.js';

interface VerifyOptions {
  readonly method: string;
  /** With its query, as it was asked for. */
  readonly path: string;
  /** A file, or a URL of http or https. */
  readonly jwks: string;
  /** Seconds; any age where absent. */
  readonly maxAge?: number;
}

const FETCH_MS = 10_000;
const MAX_KEYS_BYTES = 1_000_000;

/** `mace verify-response`: whether a saved answer is what the server gave to this request; exit code 2 where it is not. */
export async function verifyResponse(
  { io, json }: Context,
  file: string,
  { method, path, jwks, maxAge }: VerifyOptions,
): Promise<ExitCode> {
  const answer = answerIn(file);
  const keys = parsed(jwks, /^https?:/i.test(jwks) ? await fetched(jwks) : read(jwks, '--jwks').toString('utf8'));
  if (!path.startsWith('/')) throw new CommandError('--path: as it was asked for, beginning with /', EXIT.usage);
  const request = { method: method.toUpperCase(), target: path };
  const age = maxAge === undefined ? undefined : { now: Math.floor(Date.now() / 1000), maxAgeS: maxAge };
  const verdict = verifyAnswer({ ...answer, request }, keys, age);
  if (json) io.out(JSON.stringify(verdict, null, 2));
  else if (verdict.verified)
    io.out(`verified: signed by ${plain(verdict.kid)} at ${new Date(verdict.created * 1000).toISOString()}`);
  else io.out(plain(`NOT verified: ${verdict.reason}`));
  return verdict.verified ? EXIT.ok : EXIT.divergence;
}

function answerIn(file: string): SavedAnswer {
  try {
    return savedAnswer(read(file, 'file'));
  } catch (error) {
    if (error instanceof SavedAnswerError) throw new CommandError(`file: ${error.message}`, EXIT.usage);
    throw error;
  }
}

function read(file: string, what: string): Buffer {
  try {
    return readFileSync(file === '-' ? 0 : file);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new CommandError(`${what}: ${file} cannot be read (${code ?? 'unknown fault'})`, EXIT.failure);
  }
}

async function fetched(url: string): Promise<string> {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(FETCH_MS) });
    if (!response.ok) throw new Error(`answered ${response.status}`);
    return await response.text();
  } catch (error) {
    const { message, cause } = error as Error;
    const reason = (cause as NodeJS.ErrnoException | undefined)?.code ?? message;
    throw new CommandError(`--jwks: ${url} gives no keys (${reason})`, EXIT.unavailable);
  }
}

function parsed(place: string, text: string): readonly ResponseKey[] {
  const keys = text.length > MAX_KEYS_BYTES ? undefined : keysIn(jsonOf(text));
  if (keys) return keys;
  const form = 'a JSON Web Key Set with the keys of /.well-known/jwks.json';
  throw new CommandError(`--jwks: ${place} is not ${form}`, EXIT.usage);
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
