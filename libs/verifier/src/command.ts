import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';
import { parseArgs } from 'node:util';

import { MAX_FILE_BYTES } from './bundle.js';
import type { Report } from './report.js';
import { readable } from './report-text.js';
import { NoteError, parseVkey, type VerifierKey } from './signed-note.js';
import { verifyBundle } from './verify.js';

/** `mace verify FILE`: needs nothing but Node and the file (spec/replay.md, spec/api.md "Command line"). */

const HELP = `Usage: mace verify [options] <file>

check an audit bundle without server, data folder or network; exit code 0: verified, 2: it diverges, 1: cannot tell

Options:
  --key <vkey>       a key of the log or of a witness that you trust, <name>+<id>+<base64>; may be repeated
  --origin <origin>  the log that the bundle must be of
  --json             answer as JSON
  -h, --help         display help for command

Examples:
  mace verify job.mace-bundle
  mace verify job.mace-bundle --key 'mace.local/0123456789abcdef+0a1b2c3d+AQ...' --json
`;
const EXIT = { verified: 0, 'cannot tell': 1, diverges: 2 } as const;
const USAGE = 64;

interface Output {
  readonly out: (text: string) => void;
  readonly say: (text: string) => void;
}

/** Runs one command line and answers its exit code. */
export function runVerify(args: readonly string[], { out, say }: Output): number {
  const options = optionsIn(args);
  if ('wrong' in options) {
    say(`mace: ${options.wrong}\n(mace verify --help shows the options)\n`);
    return USAGE;
  }
  if (options.help) {
    out(HELP);
    return 0;
  }
  const report = reportOn(options.file, options.keys, options.origin);
  out(options.json ? `${JSON.stringify(report, null, 2)}\n` : readable(report));
  return EXIT[report.verdict];
}

function optionsIn(args: readonly string[]) {
  try {
    const text = { type: 'string' } as const;
    const flag = { type: 'boolean', default: false } as const;
    const options = {
      key: { ...text, multiple: true },
      origin: text,
      json: flag,
      help: { ...flag, short: 'h' },
    } as const;
    const { values, positionals } = parseArgs({ args: [...args], options, allowPositionals: true });
    const [file = '', ...more] = positionals;
    if (!values.help && (file === '' || file === '-' || more.length > 0))
      return { wrong: 'give one file, a bundle; it is not read from the standard input' };
    if (values.origin === '') return { wrong: '--origin: the name of the log, such as mace.local/0123456789abcdef' };
    return {
      file,
      keys: (values.key ?? []).flatMap((lines) => lines.trim().split('\n')).map(parseVkey),
      origin: values.origin ?? null,
      json: values.json,
      help: values.help,
    };
  } catch (error) {
    const isUsage = error instanceof NoteError || (error as NodeJS.ErrnoException).code?.startsWith('ERR_PARSE_ARGS');
    if (!isUsage) throw error;
    return { wrong: error instanceof NoteError ? `--key: ${error.message}` : (error as Error).message };
  }
}

function reportOn(file: string, keys: readonly VerifierKey[], origin: string | null): Report {
  const bytes = read(file);
  if (typeof bytes !== 'string') return verifyBundle(bytes, { keys, origin });
  return {
    verdict: 'cannot tell',
    job_id: null,
    log: null,
    checked: [],
    replay: null,
    erasure: null,
    left_out: null,
    difference: null,
    reason: bytes,
  };
}

/** The bytes of a file, or why they cannot be had; what is no file, or too large for a bundle, is not read at all. */
function read(file: string): Buffer | string {
  let descriptor: number | undefined;
  try {
    // A pipe that nobody writes to is opened at once too, and found to be no file.
    descriptor = openSync(file, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
    const stat = fstatSync(descriptor);
    if (!stat.isFile()) return `${file} is not a file`;
    if (stat.size > MAX_FILE_BYTES) return `${file} has ${stat.size} bytes; a bundle has at most ${MAX_FILE_BYTES}`;
    const bytes = Buffer.alloc(stat.size);
    return bytes.subarray(0, readSync(descriptor, bytes, 0, stat.size, 0));
  } catch (error) {
    return `${file} cannot be read (${(error as NodeJS.ErrnoException).code ?? 'unknown fault'})`;
  } finally {
    if (descriptor !== undefined) closeSync(descriptor);
  }
}
