import { type Bundle, BUNDLE_FORMAT, type Parts } from './bundle.js';
import { parseCheckpoint } from './checkpoint.js';
import { sha256Hex } from './leaf.js';
import { Difference, eachOnce, type LogView, same } from './report.js';
import { COSIGNATURE, ED25519, NoteError, parseNote, parseVkey, verifyNote } from './signed-note.js';
import type { Note, VerifiedSignature, VerifierKey } from './signed-note.js';

/** Clocks of two machines may be this far apart. */
const TOLERANCE_MS = 2_000;
/** And so far that of a witness, which a log takes no cosignature of beyond (libs/proof, WitnessClient). */
const WITNESS_TOLERANCE_MS = 300_000;

/** What the caller believes for another reason than that it stands in the file. */
export interface Pins {
  readonly keys: readonly VerifierKey[];
  readonly origin: string | null;
}

/** The checkpoint of a bundle, once its signatures hold. @throws Difference */
export function checkCheckpoint(bundle: Bundle, pins: Pins): LogView {
  const { about, checkpoint: text } = bundle;
  const note = noteOf('checkpoint', text);
  const checkpoint = parseCheckpoint(note.text);
  if (!checkpoint) throw differs('checkpoint', 'checkpoint', 'origin, size and root', note.text);
  eachOnce(
    'signers',
    bundle.keys.signers.map(({ vkey }) => vkey),
  );
  const { origin, size, root, madeAt } = checkpoint;
  if (pins.origin !== null) same('origin', 'checkpoint', pins.origin, origin);
  const signatures = signaturesOf('checkpoint signature', note, origin, about.checkpointed_at, bundle);
  checkPins('checkpoint signature', note, pins.keys);
  if (madeAt !== null) same('time of the checkpoint', 'about', madeAt, about.checkpointed_at);
  const signed_by = signatures.filter(({ time }) => time === undefined).map(({ key }) => key.vkey);
  const cosigned_by = signatures.flatMap(({ key, time }) =>
    time === undefined ? [] : [{ vkey: key.vkey, time: instantOf(time) }],
  );
  const { checkpointed_at } = about;
  const [pinned, witness_pinned] = [ED25519, COSIGNATURE].map((kind) => pins.keys.some(({ type }) => type === kind));
  const view = { origin, size, root: root.toString('hex'), checkpointed_at, signed_by, cosigned_by };
  return { ...view, pinned: pinned!, witness_pinned: witness_pinned! };
}

/** The text that the maker of a bundle signs: the job, and the digest of every part but the manifest. */
export function manifestText(jobId: string, parts: Parts): string {
  const lines = [...parts].flatMap(([name, text]) => (name === 'manifest' ? [] : [`${name} ${sha256Hex(text)}\n`]));
  return `${BUNDLE_FORMAT}\n${jobId}\n${lines.join('')}`;
}

/** That nothing beside the events, which have their own proofs, was changed either. @throws Difference */
export function checkManifest(bundle: Bundle, parts: Parts, origin: string, pins: Pins): number {
  const note = noteOf('manifest', bundle.manifest);
  const wanted = manifestText(bundle.about.job_id, parts).split('\n');
  const found = note.text.split('\n');
  wanted.forEach((line, i) => same('manifest', (line.split(' ')[0] ?? '') || 'end', line, found[i] ?? ''));
  same('manifest', 'end', wanted.length, found.length);
  signaturesOf('manifest signature', note, origin, bundle.about.made_at, bundle);
  const logKeys = pins.keys.filter(({ type }) => type === ED25519);
  checkPins('manifest signature', note, logKeys);
  return parts.size - 1;
}

/** Whether an instant lies in a key's interval. @throws Difference */
export function checkInterval(
  check: string,
  at: string,
  time: string,
  { not_before, not_after }: { readonly not_before: string | null; readonly not_after: string | null },
): void {
  const from = not_before === null ? -Infinity : Date.parse(not_before) - TOLERANCE_MS;
  const to = not_after === null ? Infinity : Date.parse(not_after) + TOLERANCE_MS;
  const instant = Date.parse(time);
  if (from <= instant && instant <= to) return;
  throw differs(check, at, `a time from ${not_before ?? 'any'} to ${not_after ?? 'now'}`, time);
}

/** Signatures of the bundle's own keys, the log's among them, each made while its key was valid. */
function signaturesOf(check: string, note: Note, origin: string, at: string, bundle: Bundle): VerifiedSignature[] {
  const keys = bundle.keys.signers.map((signer) => ({ ...signer, key: keyOf(check, signer.vkey) }));
  const found = refusing(check, () =>
    verifyNote(
      note,
      keys.map(({ key }) => key),
    ),
  );
  for (const { key, time } of found) {
    const interval = keys.find((one) => one.key === key)!;
    if (time !== undefined) checkCosigned(check, key.vkey, time, bundle);
    checkInterval(`${check}, key interval`, key.vkey, time === undefined ? at : instantOf(time), interval);
  }
  if (!found.some(({ key }) => key.type === ED25519 && key.name === origin)) {
    throw differs(check, `log ${origin}`, 'a signature by a key of the log', 'none');
  }
  return found;
}

/** A witness cosigns what there is, and a bundle holds what was cosigned before. @throws Difference */
function checkCosigned(check: string, at: string, seconds: number, { about }: Bundle): void {
  const { checkpointed_at, made_at } = about;
  const from = Date.parse(checkpointed_at) - WITNESS_TOLERANCE_MS;
  const to = Date.parse(made_at) + WITNESS_TOLERANCE_MS;
  if (from <= seconds * 1000 && seconds * 1000 <= to) return;
  const expected = `a time from ${checkpointed_at} to ${made_at}, give or take five minutes`;
  throw differs(`${check}, time of the witness`, at, expected, instantOf(seconds));
}

/** ISO 8601 of seconds since the Unix epoch; as a number where no calendar reaches so far. */
function instantOf(seconds: number): string {
  const instant = new Date(seconds * 1000);
  return Number.isNaN(instant.getTime()) ? String(seconds) : instant.toISOString();
}

/** At least one of the pinned keys of each kind must have signed. */
function checkPins(check: string, note: Note, pinned: readonly VerifierKey[]): void {
  for (const type of [ED25519, COSIGNATURE]) {
    const keys = pinned.filter((key) => key.type === type);
    if (keys.length === 0 || refusing(check, () => verifyNote(note, keys)).length > 0) continue;
    const signers = note.signatures.map(({ name, keyId }) => `${name}+${keyId}`).join(', ');
    throw differs(`${check}, pinned key`, keys.map(({ vkey }) => vkey).join(' or '), 'a signature by it', signers);
  }
}

function noteOf(part: string, text: string): Note {
  return refusing(part, () => parseNote(text));
}

function keyOf(check: string, vkey: string): VerifierKey {
  return refusing(check, () => parseVkey(vkey));
}

/** What is wrong with a note or key inside the bundle is a difference like any other. */
function refusing<T>(check: string, act: () => T): T {
  try {
    return act();
  } catch (error) {
    if (!(error instanceof NoteError)) throw error;
    throw differs(check, check, 'what the standard asks for', error.message);
  }
}

function differs(check: string, at: string, expected: string, found: string): Difference {
  return new Difference({ check, at, expected, found });
}
