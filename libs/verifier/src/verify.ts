import { type Bundle, readBundle } from './bundle.js';
import { checkErasures } from './erasure.js';
import { checkEvents, checkNodes } from './events.js';
import { checkBelonging, checkJob, checkKeys, checkReferences, checkSnapshots } from './job.js';
import { Difference, type ErasureView, type LogView, type Report, same } from './report.js';
import { UnreadableError } from './shape.js';
import { checkCheckpoint, checkManifest, type Pins } from './signatures.js';

/** What a report says while the check goes on. */
interface Findings {
  job_id: string | null;
  log: LogView | null;
  checked: { check: string; count: number }[];
  replay: string | null;
  erasure: ErasureView | null;
  left_out: number | null;
}

/** Checks the bytes of a bundle. Whatever they are, the answer is a report; nothing is thrown. */
export function verifyBundle(file: Uint8Array, pins: Pins = { keys: [], origin: null }): Report {
  const findings: Findings = { job_id: null, log: null, checked: [], replay: null, erasure: null, left_out: null };
  try {
    checkAll(readBundle(file), pins, findings);
    return { verdict: 'verified', ...findings, difference: null, reason: null };
  } catch (error) {
    if (error instanceof Difference) return { verdict: 'diverges', ...findings, difference: error.view, reason: null };
    const reason = error instanceof UnreadableError ? error.message : `a fault of the verifier: ${String(error)}`;
    return { verdict: 'cannot tell', ...findings, difference: null, reason };
  }
}

function checkAll({ bundle, parts }: ReturnType<typeof readBundle>, pins: Pins, findings: Findings): void {
  const step = <T>(check: string, act: () => T, count: (done: T) => number): T => {
    const entry = { check, count: 0 };
    findings.checked.push(entry);
    const done = act();
    entry.count = count(done);
    return done;
  };
  const itself = (count: number): number => count;
  const length = ({ length }: readonly unknown[]): number => length;
  const size = ({ size }: ReadonlySet<unknown>): number => size;
  findings.job_id = bundle.about.job_id;
  const signatures = ({ signed_by, cosigned_by }: LogView): number => signed_by.length + cosigned_by.length;
  const log = step('checkpoint', () => checkCheckpoint(bundle, pins), signatures);
  findings.log = log;
  const events = step('events', () => checkEvents(bundle, log), length);
  const job = step('job', () => checkJob(bundle, events), length);
  const snapshots = step('snapshots', () => checkSnapshots(bundle, job, events), size);
  const references = step('references', () => checkReferences(job, events), size);
  const erasures = step(
    'erasure',
    () => checkErasures(job, events),
    ({ known }) => known.size,
  );
  findings.erasure = erasures.view;
  const known = new Set([...job, ...snapshots, ...references, ...erasures.known]);
  step('beside', () => checkBelonging(bundle, events, known), itself);
  const { held, stored } = bundle.about.said_later;
  findings.left_out = stored - held;
  step('event keys', () => checkKeys(bundle, events), itself);
  step('proof nodes', () => checkNodes(bundle), itself);
  findings.replay = bundle.replay.verdict ?? bundle.replay.error_code;
  step('replay', () => checkReplay(bundle), itself);
  step('manifest', () => checkManifest(bundle, parts, log.origin, pins), itself);
}

const REPLAYED: readonly (string | null)[] = ['MATCH', 'MATCH_WITH_ERASED_INPUTS'];
/** What cannot be replayed is not thereby wrong. */
const REFUSED: readonly (string | null)[] = [
  'MISSING_PERSISTED_AGENT_OUTPUT',
  'MISSING_SNAPSHOT',
  'REPLAY_TIMEOUT',
  // Its record is what was signed; nobody replays it before an admin and the council have cleared a snapshot of it.
  'FORCE_HALT_REPLAY',
];

/** A job whose replay differed is no proven job, however well its record is kept. */
function checkReplay({ replay: { verdict, error_code, steps } }: Bundle): number {
  const isKnown = verdict === null ? REFUSED.includes(error_code) : REPLAYED.includes(verdict) && error_code === null;
  if (!isKnown) same('replay', 'replay', 'MATCH', error_code ?? verdict);
  const failed = steps.find((step) => step.verdict === 'failed');
  if (failed && verdict !== null) same('replay', failed.step, 'ok', failed.verdict);
  return 1;
}
