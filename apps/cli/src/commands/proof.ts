import { readFileSync } from 'node:fs';

import { ApiError } from '#lib/client';
import type { CheckpointRecord, LogKey, ProofState, StoredProof } from '#lib/proof';
import {
  type Checkpoint,
  leafHash,
  NoteError,
  parseCheckpoint,
  parseNote,
  parseVkey,
  type VerifierKey,
  verifyConsistency,
  verifyInclusion,
  verifyNote,
} from '#lib/verifier';

import type { Context } from '../context.js';
import { CommandError, EXIT, type ExitCode } from '../exit-codes.js';
import { plain, plainText } from '../io.js';
import { lastWalk, toldOf } from './last-walk.js';

interface Current {
  readonly checkpoint: CheckpointRecord;
  readonly keys: readonly LogKey[];
  readonly state: ProofState;
}

interface Consistency {
  readonly proof: readonly string[];
}

const bytes = (hex: string): Buffer => Buffer.from(hex, 'hex');

/** `mace checkpoint show`: the note to stdout, how the log stands to stderr. */
export async function showCheckpoint(context: Context): Promise<ExitCode> {
  const current = await currentOf(context);
  if (context.json) {
    context.io.out(JSON.stringify(current, null, 2));
    return EXIT.ok;
  }
  const { checkpoint, state } = current;
  context.io.out(plainText(checkpoint.note.trimEnd()));
  context.io.say(`${state.leaves - checkpoint.size} events wait for the next checkpoint`);
  if (state.problem !== null) context.io.say(plain(`the log is not signed: ${state.problem}`));
  if (state.witness?.problem) context.io.say(plain(`the witness ${state.witness.url} ${state.witness.problem}`));
  return EXIT.ok;
}

/**
 * `mace checkpoint verify`: whether signed trees follow each other, by keys that are given, else by the server's own. It
 * compares no event, and so tells what the last walk of the events found; 2 where that was not sound.
 */
export async function verifyCheckpoint(
  context: Context,
  { since, key }: { readonly since?: string; readonly key?: readonly string[] },
): Promise<ExitCode> {
  const { checkpoint, keys } = await currentOf(context);
  const trusted = trustedOf(context, key, keys);
  const now = signed(checkpoint.note, trusted);
  if (typeof now === 'string') return said(context, false, `the newest checkpoint ${now}`);
  const upTo = `${now.size} events of ${now.origin}, root ${now.root.toString('hex')}`;
  if (since === undefined) return saidWithWalk(context, `signed: ${upTo}`);
  const note = noteIn(since);
  const claimed = claimOf(note);
  if (typeof claimed !== 'string' && claimed.origin !== now.origin)
    return said(context, false, `the checkpoint in ${since} is of ${claimed.origin}, and this log is ${now.origin}`);
  const then = signed(note, trusted);
  // Of the log this tells nothing: neither what is no checkpoint, nor one of which nobody knows who signed it.
  if (typeof then === 'string') throw new CommandError(`--since: ${since}: ${then}`, EXIT.failure);
  if (then.size > now.size)
    return said(context, false, `the log has ${now.size} events, and had ${then.size}: its end is gone`);
  const { proof } = await context.answer<Consistency>({
    method: 'GET',
    path: `/audit/consistency?from=${then.size}&to=${now.size}`,
  });
  const follows = verifyConsistency(then.size, now.size, then.root, now.root, proof.map(bytes));
  const begins = `the log of ${then.size} events`;
  if (!follows) return said(context, false, `${begins} was changed since`);
  return saidWithWalk(context, `${begins} begins the log of ${upTo}`);
}

async function saidWithWalk(context: Context, what: string): Promise<ExitCode> {
  const { io, json } = context;
  const walk = await lastWalk((path) => context.answer({ method: 'GET', path }));
  if (json) io.out(JSON.stringify({ verified: true, what, last_walk: walk }, null, 2));
  else {
    io.out(plain(what));
    io.out(`That compares signed trees; \`mace integrity verify\` compares the events with them. ${toldOf(walk)}.`);
  }
  return walk?.sound === false ? EXIT.divergence : EXIT.ok;
}

/** `mace proof EVENT`: 2 also for an event that is stored otherwise than it was signed for. */
export async function proveEvent(context: Context, id: string, key?: readonly string[]): Promise<ExitCode> {
  const proof = await storedProof(context, id);
  if (typeof proof === 'string') return said(context, false, proof);
  const { keys } = key ? { keys: [] } : await currentOf(context);
  const head = signed(proof.checkpoint.note, trustedOf(context, key, keys));
  if (typeof head === 'string') return said(context, false, `its checkpoint ${head}`, { proof });
  const { leaf_index, inclusion, stream, revision, entry } = proof;
  if (!isOf(entry, { id, stream, revision }))
    return said(context, false, `the leaf that is shown is not of event ${id}`, { proof });
  const isIn = verifyInclusion(leaf_index, head.size, leafHash(entry), inclusion.map(bytes), head.root);
  const what = `event ${revision} of ${stream} is leaf ${leaf_index} of ${head.size}`;
  return said(context, isIn, isIn ? what : `it is not proven that ${what}`, { proof });
}

/** What is wrong with the event where the server itself has found it changed. */
async function storedProof(context: Context, id: string): Promise<StoredProof | string> {
  try {
    return await context.answer<StoredProof>({ method: 'GET', path: `/audit/proof/${encodeURIComponent(id)}` });
  } catch (error) {
    if (!(error instanceof ApiError) || error.envelope.error_code !== 'INTEGRITY_FAILURE') throw error;
    return error.envelope.developer_message;
  }
}

interface LeafEntry {
  readonly metadata?: { readonly event_id?: unknown };
  readonly stream?: unknown;
  readonly stream_revision?: unknown;
}

interface Wanted {
  readonly id: string;
  readonly stream: string;
  readonly revision: number;
}

/** Whether what a leaf is made of is that event, at that place. */
function isOf(entry: string, { id, stream, revision }: Wanted): boolean {
  try {
    const of = JSON.parse(entry) as LeafEntry;
    return of.metadata?.event_id === id && of.stream === stream && of.stream_revision === revision;
  } catch (error) {
    if (error instanceof SyntaxError) return false;
    throw error;
  }
}

function currentOf(context: Context): Promise<Current> {
  return context.answer<Current>({ method: 'GET', path: '/audit/checkpoint' });
}

/** @throws CommandError for a key that is none */
function trustedOf({ io }: Context, given: readonly string[] | undefined, own: readonly LogKey[]): VerifierKey[] {
  if (!given) io.say('by the server’s own word; --key checks by a key that you trust');
  try {
    return (given?.flatMap(keysIn) ?? own.map(({ vkey }) => vkey)).map(parseVkey);
  } catch (error) {
    if (error instanceof NoteError) throw new CommandError(`--key: ${error.message}`, EXIT.usage);
    throw error;
  }
}

/** One a line, as `/.well-known/mace-log.vkey` answers them: after a rotation there are several. */
function keysIn(text: string): readonly string[] {
  return text.trim().split(/\r?\n/);
}

/** The checkpoint of a note that one of these keys has signed, or what is wrong with it. */
function signed(note: string, keys: readonly VerifierKey[]): Checkpoint | string {
  const claimed = claimOf(note);
  if (typeof claimed === 'string') return claimed;
  try {
    return verifyNote(parseNote(note), keys).length > 0 ? claimed : 'is signed by none of the keys';
  } catch (error) {
    if (error instanceof NoteError) return error.message;
    throw error;
  }
}

/** What a note says, whoever signed it; or why it says nothing. */
function claimOf(note: string): Checkpoint | string {
  try {
    return parseCheckpoint(parseNote(note).text) ?? 'is no checkpoint';
  } catch (error) {
    if (error instanceof NoteError) return error.message;
    throw error;
  }
}

function noteIn(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw new CommandError(`--since: ${(error as Error).message}`, EXIT.usage);
  }
}

function said({ io, json }: Context, verified: boolean, what: string, more: object = {}): ExitCode {
  io.out(json ? JSON.stringify({ verified, what, ...more }, null, 2) : plain(what));
  return verified ? EXIT.ok : EXIT.divergence;
}
