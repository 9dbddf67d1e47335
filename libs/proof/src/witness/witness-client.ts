import { randomBytes } from 'node:crypto';

import { sha256Hex } from '#lib/kernel';
import { NoteError, parseCheckpoint, parseNote, signatureLine, type VerifierKey, verifyNote } from '#lib/verifier';

import type { LogKeys } from '../log-keys.js';
import type { OfferTools, WitnessState } from '../log/cosigner.js';
import type { Witness } from '../open-merkle-log.js';
import type { StoredCheckpoint } from '../store/proof-messages.js';
import { boundedFetch } from './bounded-fetch.js';
import {
  type ErasedKeysAnswer,
  MAX_MARKS,
  parseAnswer,
  parseReport,
  questionText,
  reportText,
} from './erased-keys-note.js';

export interface WitnessClientOptions {
  /** Submission and monitoring prefix in one (c2sp.org/tlog-witness), without a slash at its end. */
  readonly url: string;
  /** The witness's own key, pinned. */
  readonly key: VerifierKey;
  /** The keys of the log, which sign what it says and verify what is said to be of it. */
  readonly log: LogKeys;
  /** Told when it begins to fail, and null when it answers again. */
  readonly onFault?: (fault: string | null) => void;
  /** Milliseconds since the Unix epoch; default the machine's clock. */
  readonly now?: () => number;
  readonly timeoutMs?: number;
  readonly firstPauseMs?: number;
}

interface Offer {
  readonly checkpoint: StoredCheckpoint;
  readonly tools: OfferTools;
}

class Refused extends Error {}

/** What was destroyed cannot be had of the witness, or is not proven to be what the log told it. */
export class WitnessListError extends Error {
  override readonly name = 'WitnessListError';
}

const LONGEST_PAUSE_MS = 60_000;
const CLOCKS_APART_S = 300;
const MAX_ANSWER = 100_000;
/** More reports than a log can have made; what goes on beyond that is not its list. */
const MAX_REPORTS = 1_000_000;

/**
 * Shows checkpoints to a witness and takes its cosignatures. Nobody waits for it: of what comes while it is away only the
 * newest is offered once it answers again.
 */
export class WitnessClient implements Witness {
  private next: Offer | undefined;
  private busy: Promise<void> | undefined;
  private pause: (() => void) | undefined;
  private readonly ended = new AbortController();
  /** Size that the witness has cosigned last, as far as it was told. */
  private known = 0;
  private cosigned: number | null = null;
  private problem: string | null = null;
  private readonly reported = new Set<string>();
  /** The offer that was cosigned last. */
  private taken: Offer | undefined;

  constructor(private readonly options: WitnessClientOptions) {}

  get url(): string {
    return this.options.url;
  }

  state(): WitnessState {
    const { url, key } = this.options;
    return { url, name: key.name, cosigned_size: this.cosigned, problem: this.problem };
  }

  /** What no key of the log has signed says nothing of the log, whoever answers in the witness's place. */
  async lastNote(): Promise<string | null> {
    const { origin } = this.options.log;
    try {
      const { status, text } = await this.ask('GET', `/${sha256Hex(origin)}/checkpoint`);
      const isUseful = status === 404 || (status === 200 && this.isSignedByLog(text));
      const problem = status === 200 ? 'answers with a checkpoint that this log has not signed' : `answers ${status}`;
      this.tell(isUseful ? null : problem);
      return isUseful && status === 200 ? text : null;
    } catch (error) {
      this.tell(`does not answer: ${reasonOf(error)}`);
      return null;
    }
  }

  /**
   * Marks of the data keys that the log has reported as destroyed (LogKeys.isMarked). Each part of the answer is cosigned by
   * the pinned key for this question, and each report in it is signed by the log: who answers in its place can neither add
   * nor leave out any.
   * @throws WitnessListError where it does not answer so
   */
  async erasedMarks(): Promise<ReadonlySet<string>> {
    const marks = new Set<string>();
    try {
      for (let [after, more] = [0, true]; more;) {
        const answer = await this.question(after);
        for (const report of answer.reports) for (const mark of this.marksIn(report)) marks.add(mark);
        ({ more } = answer);
        after += answer.reports.length;
        if ((more && answer.reports.length === 0) || after > MAX_REPORTS) throw new Refused('answers without an end');
      }
      return marks;
    } catch (error) {
      throw new WitnessListError(
        `the witness ${this.url} does not give the list of erased data keys: it ${reasonOf(error)}. Let it answer, with the keys of this log as they were given to it; what was erased would come back without it`,
        { cause: error },
      );
    }
  }

  private async question(after: number): Promise<ErasedKeysAnswer> {
    const { log, key } = this.options;
    const nonce = randomBytes(16).toString('hex');
    const asked = log.signText(questionText({ origin: log.origin, nonce, after }));
    const { status, text } = await this.ask('POST', '/erased-keys/question', asked);
    if (status !== 200) throw new Refused(`answers ${status} ${text.slice(0, 200).trim()}`);
    const note = parseNote(text);
    if (verifyNote(note, [key]).length === 0) throw new Refused(`answers without a signature of ${key.name}`);
    const answer = parseAnswer(note.text);
    if (!answer || answer.origin !== log.origin || answer.nonce !== nonce || answer.after !== after)
      throw new Refused('answers to another question');
    return answer;
  }

  private marksIn(report: string): readonly string[] {
    const { origin, verifiers } = this.options.log;
    const note = parseNote(report);
    const read = parseReport(note.text);
    if (read?.origin !== origin || verifyNote(note, verifiers).length === 0)
      throw new Refused('answers with a list that this log has not signed');
    return read.marks;
  }

  private isSignedByLog(text: string): boolean {
    const { origin, verifiers } = this.options.log;
    try {
      const note = parseNote(text);
      // The log signs lists too.
      return parseCheckpoint(note.text)?.origin === origin && verifyNote(note, verifiers).length > 0;
    } catch (error) {
      if (error instanceof NoteError) return false;
      throw error;
    }
  }

  offer(checkpoint: StoredCheckpoint, tools: OfferTools): void {
    this.next = { checkpoint, tools };
    this.busy ??= this.work().finally(() => (this.busy = undefined));
  }

  /** Ends what is under way; an offer that was not taken is made again by the next start. */
  async close(): Promise<void> {
    this.ended.abort();
    this.pause?.();
    await this.busy;
  }

  private async work(): Promise<void> {
    const { firstPauseMs = 1_000 } = this.options;
    let pause = firstPauseMs;
    while (this.next && !this.ended.signal.aborted) {
      const offer = this.next;
      // Apart from each other: a list that is refused takes no cosignature from the log.
      const faults = [
        await this.tried(() => this.taken === offer || this.take(offer)),
        await this.tried(() => this.report(offer)),
      ];
      if (this.ended.signal.aborted) return;
      const [fault = null] = faults.filter((reason) => reason !== null);
      this.tell(fault);
      if (fault !== null) {
        await this.rest(pause);
        pause = Math.min(2 * pause, LONGEST_PAUSE_MS);
        continue;
      }
      pause = firstPauseMs;
      if (this.next === offer) this.next = undefined;
    }
  }

  /** Why it failed; null where it did not. */
  private async tried(work: () => unknown): Promise<string | null> {
    try {
      await work();
      return null;
    } catch (error) {
      return reasonOf(error);
    }
  }

  private async take(offer: Offer): Promise<void> {
    try {
      await this.submit(offer, 0);
    } catch (error) {
      if (error instanceof Refused) await this.compare(offer);
      throw error;
    }
    this.taken = offer;
  }

  /** A refusal may be anybody's; a checkpoint that the log has signed, and does not hold, is proof of another history. */
  private async compare({ tools }: Offer): Promise<void> {
    const { url, log } = this.options;
    const { status, text } = await this.ask('GET', `/${sha256Hex(log.origin)}/checkpoint`);
    if (status !== 200 || !this.isSignedByLog(text)) return;
    const { size, root } = parseCheckpoint(parseNote(text).text)!;
    const hex = root.toString('hex');
    if ((await tools.holds(size, hex)) !== false) return;
    const reason = `the witness ${url} has another history of this log: its key has signed ${size} events with the root ${hex}, which is not that of the events here`;
    tools.contradicted({ reason, size });
  }

  private async submit({ checkpoint, tools }: Offer, attempt: number): Promise<void> {
    const { size, note } = checkpoint;
    if (this.known > size) {
      const said = this.known;
      // Asked anew the next time: what it said is not signed.
      this.known = 0;
      throw new Refused(`has cosigned ${said} events, and this log has ${size}`);
    }
    const proof = tools.consistency(this.known, size).map((hash) => Buffer.from(hash, 'hex').toString('base64'));
    const body = [`old ${this.known}`, ...proof, '', note].join('\n');
    const { status, text } = await this.ask('POST', '/add-checkpoint', body);
    if (status === 409 && attempt === 0 && /^(0|[1-9][0-9]{0,15})\n$/.test(text)) {
      this.known = Number(text);
      return this.submit({ checkpoint, tools }, attempt + 1);
    }
    if (status !== 200)
      throw new Refused(`refuses the checkpoint of ${size} events: ${status} ${text.slice(0, 200).trim()}`);
    await tools.keep(this.withCosignature(note, text));
    [this.known, this.cosigned] = [size, size];
  }

  /**
   * The note with the signatures of the pinned key that are in the answer; whatever else it holds is left out.
   * @throws Refused where there is none
   */
  private withCosignature(note: string, lines: string): string {
    const { key } = this.options;
    const { text, signatures } = parseNote(note);
    // One that was there already, of another time, gives way.
    const own = signatures.filter(({ name }) => name !== key.name);
    try {
      const given = parseNote(`${text}\n${lines}`);
      const cosigned = given.signatures.filter(({ name, keyId }) => name === key.name && keyId === key.keyId);
      const [verified] = verifyNote({ text, signatures: cosigned.slice(-1) }, [key]);
      if (given.text === text && verified) {
        this.refuseOtherTime(verified.time);
        const all = [...own, cosigned.at(-1)!].map(({ name, keyId, bytes }) => signatureLine(name, keyId, bytes));
        return `${text}\n${all.join('')}`;
      }
    } catch (error) {
      if (!(error instanceof NoteError)) throw error;
      throw new Refused(`answers with a signature that cannot be used: ${error.message}`);
    }
    throw new Refused(`answers without a signature of ${key.name}`);
  }

  /** By the time in it is told when nobody else was shown another log: one that is long ago, or to come, tells nothing. */
  private refuseOtherTime(seconds: number | undefined): void {
    const now = Math.floor((this.options.now ?? Date.now)() / 1000);
    if (seconds !== undefined && Math.abs(seconds - now) <= CLOCKS_APART_S) return;
    throw new Refused(
      `cosigns for the time ${seconds ?? 'of nothing'}, in seconds since 1970, and here it is ${now}: set the clocks of both, at most ${CLOCKS_APART_S} s apart`,
    );
  }

  private async report({ tools }: Offer): Promise<void> {
    const { log } = this.options;
    const isFresh = (name: string): boolean => !this.reported.has(name);
    const fresh = [
      ...tools
        .erasedKeys()
        .filter(isFresh)
        .map((kid) => ({ name: kid, mark: log.markOf(kid) })),
      ...(tools.erasedMarks?.() ?? []).filter(isFresh).map((mark) => ({ name: mark, mark })),
    ];
    for (let at = 0; at < fresh.length; at += MAX_MARKS) {
      const part = fresh.slice(at, at + MAX_MARKS);
      const marks = part.map(({ mark }) => mark);
      const { status, text } = await this.ask(
        'POST',
        '/erased-keys',
        log.signText(reportText({ origin: log.origin, marks })),
      );
      if (status !== 200) throw new Refused(`refuses the list of erased keys: ${status} ${text.slice(0, 200).trim()}`);
      for (const { name } of part) this.reported.add(name);
    }
  }

  private ask(method: 'GET' | 'POST', path: string, body?: string): Promise<{ status: number; text: string }> {
    const { url, timeoutMs = 2_000 } = this.options;
    const sent = body === undefined ? {} : { body };
    return boundedFetch(url + path, { method, timeoutMs, maxBytes: MAX_ANSWER, signal: this.ended.signal, ...sent });
  }

  private rest(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, ms);
      timer.unref();
      this.pause = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  private tell(problem: string | null): void {
    if (this.problem === problem) return;
    this.problem = problem;
    this.options.onFault?.(problem === null ? null : `the witness ${this.url} ${problem}`);
  }
}

function reasonOf(error: unknown): string {
  const { message, cause } = error as Error & { readonly cause?: { readonly code?: string } };
  return cause?.code ?? message;
}
