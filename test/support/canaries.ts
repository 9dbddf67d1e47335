import { relative } from 'node:path';

import { filesBelow } from './live-folder.js';

/** Personal values that occur nowhere by chance, one of each kind of detection. */
export const CANARIES = {
  us_ssn: '536-22-8145',
  email: 'zebulon.quuxworthy@pennyfarthing-cycles.org',
  payment_card: '4539 1488 0343 6467',
  iban: 'GB33BUKB20201555555555',
  phone: '+44 7911 123 457',
  in_aadhaar: '2341 2341 2346',
} as const;

/** What a person may say that no detector knows: never in plain all the same, wherever it is theirs. */
export const SECRET_WORD = 'wombatquincunxaeolipile';

/** A text with every canary in it. */
export const CANARY_TEXT = Object.entries(CANARIES)
  .map(([type, value]) => `my ${type.replace('_', ' ')} is ${value}`)
  .join(', ');

/** A form in which a value might get out. */
interface Trace {
  readonly of: string;
  readonly form: string;
  readonly bytes: Buffer;
}

/** Raw bytes, with other separators, percent-encoded, base64 at each alignment, hex, UTF-16 both ways. */
function tracesOf(value: string): readonly Trace[] {
  const compact = value.replace(/[^A-Za-z0-9@]/g, '');
  const spellings = new Set([
    value,
    value.toLowerCase(),
    compact,
    compact.toLowerCase(),
    value.replace(/[^A-Za-z0-9]+/g, '_').toLowerCase(),
    encodeURIComponent(value),
    value.replaceAll(' ', '+'),
  ]);
  return [...spellings].flatMap((text) => formsOf(text).map(({ form, bytes }) => ({ of: text, form, bytes })));
}

function formsOf(text: string): readonly Omit<Trace, 'of'>[] {
  const raw = Buffer.from(text);
  const utf16 = Buffer.from(text, 'utf16le');
  return [
    { form: 'raw', bytes: raw },
    { form: 'hex', bytes: Buffer.from(raw.toString('hex')) },
    { form: 'HEX', bytes: Buffer.from(raw.toString('hex').toUpperCase()) },
    { form: 'UTF-16LE', bytes: utf16 },
    { form: 'UTF-16BE', bytes: Buffer.from(utf16).swap16() },
    ...[0, 1, 2].flatMap((offset) => base64At(raw, offset)),
  ];
}

/** The part of a base64 text that is the same whatever stands before and after these bytes. */
function base64At(raw: Buffer, offset: number): readonly Omit<Trace, 'of'>[] {
  const text = Buffer.concat([Buffer.alloc(offset), raw]).toString('base64');
  const from = offset === 0 ? 0 : 4;
  const whole = text.slice(from, Math.floor(((offset + raw.length) * 4) / 3 / 4) * 4);
  const url = whole.replaceAll('+', '-').replaceAll('/', '_');
  return [...new Set([whole, url])].map((one) => ({ form: `base64+${offset}`, bytes: Buffer.from(one) }));
}

const known = new Map<string, readonly Trace[]>();

/** Where any of these values shows in some bytes. */
export function showing(bytes: Buffer, values: readonly string[]): readonly string[] {
  return values.flatMap((value) => {
    const traces = known.get(value) ?? tracesOf(value);
    known.set(value, traces);
    return traces.filter((trace) => bytes.includes(trace.bytes)).map(({ of, form }) => `${of} (${form})`);
  });
}

/** Where any of these values shows in the files of a folder, those of the stores and their logs included. */
export function showingIn(folder: string, values: readonly string[]): readonly string[] {
  return filesBelow(folder).flatMap(({ path, bytes }) => {
    const inName = showing(Buffer.from(relative(folder, path)), values);
    return [...inName, ...showing(bytes, values)].map((what) => `${path}: ${what}`);
  });
}
