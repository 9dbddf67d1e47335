import { sha256Hex } from '#lib/kernel';
import { NoteError, parseNote, type VerifierKey, verifyNote } from '#lib/verifier';

import type { OfferTools, WitnessState } from '../merkle-log.js';
import type { Witness } from '../open-merkle-log.js';
import type { StoredCheckpoint } from '../store/proof-messages.js';
import { type Signs, erasedKeysText, parseErasedKeys } from './erased-keys-note.js';

export interface WitnessClientOptions {
  /** Submission and monitoring prefix in one (c2sp.org/tlog-witness), without a slash at its end. */
  readonly url: string;
  /** The witness's own key, pinned. */
  readonly key: VerifierKey;
  readonly origin: string;
  /** Signs notes as the log does. */
  readonly signs: Signs;
  /** Told when it begins to fail, and null when it answers again. */
  readonly onFault?: (fault: string | null) => void;
  readonly timeoutMs?: number;
  readonly firstPauseMs?: number;
}

interface Offer {
  readonly checkpoint: StoredCheckpoint;
  readonly tools: OfferTools;
}

class Refused extends Error {}

const LONGEST_PAUSE_MS = 60_000;
const MAX_ANSWER = 100_000;

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

  constructor(private readonly options: WitnessClientOptions) {}

  get url(): string {
    return this.options.url;
  }

  state(): WitnessState {
    const { url, key } = this.options;
    return { url, name: key.name, cosigned_size: this.cosigned, problem: this.problem };
  }

  async lastNote(): Promise<string | null> {
    try {
      const { status, text } = await this.ask('GET', `/${sha256Hex(this.options.origin)}/checkpoint`);
      this.tell(status === 200 || status === 404 ? null : `answers ${status}`);
      return status === 200 ? text : null;
    } catch (error) {
      this.tell(`does not answer: ${reasonOf(error)}`);
      return null;
    }
  }

  /** kids that the witness holds as erased for any of these logs. @throws Error where it does not answer */
  async erasedKeys(origin: string): Promise<readonly string[]> {
    const { status, text } = await this.ask('GET', `/${sha256Hex(origin)}/erased-keys`);
    if (status === 404) return [];
    if (status !== 200) throw new Error(`the witness ${this.url} answers ${status}`);
    return parseErasedKeys(text)?.kids ?? [];
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
      try {
        await this.report(offer.tools.erasedKeys());
        await this.submit(offer, 0);
        this.tell(null);
        pause = firstPauseMs;
        if (this.next === offer) this.next = undefined;
      } catch (error) {
        if (this.ended.signal.aborted) return;
        this.tell(reasonOf(error));
        await this.rest(pause);
        pause = Math.min(2 * pause, LONGEST_PAUSE_MS);
      }
    }
  }

  private async submit({ checkpoint, tools }: Offer, attempt: number): Promise<void> {
    const { size, note } = checkpoint;
    if (this.known > size) throw new Refused(`has cosigned ${this.known} events, and this log has ${size}`);
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

  /** @throws Refused where the answer holds no signature of the pinned key */
  private withCosignature(note: string, lines: string): string {
    const { key } = this.options;
    // One that was there already, of another time, gives way.
    const kept = note.split('\n').filter((line) => !line.startsWith(`— ${key.name} `));
    const whole = kept.join('\n') + lines;
    try {
      if (verifyNote(parseNote(whole), [key]).length > 0) return whole;
    } catch (error) {
      if (!(error instanceof NoteError)) throw error;
      throw new Refused(`answers with a signature that cannot be used: ${error.message}`);
    }
    throw new Refused(`answers without a signature of ${key.name}`);
  }

  private async report(kids: readonly string[]): Promise<void> {
    const fresh = kids.filter((kid) => !this.reported.has(kid));
    if (fresh.length === 0) return;
    const { origin, signs } = this.options;
    const { status, text } = await this.ask('POST', '/erased-keys', signs(erasedKeysText(origin, fresh)));
    if (status !== 200) throw new Refused(`refuses the list of erased keys: ${status} ${text.slice(0, 200).trim()}`);
    for (const kid of fresh) this.reported.add(kid);
  }

  private async ask(method: 'GET' | 'POST', path: string, body?: string): Promise<{ status: number; text: string }> {
    const { url, timeoutMs = 2_000 } = this.options;
    const signal = AbortSignal.any([this.ended.signal, AbortSignal.timeout(timeoutMs)]);
    const answer = await fetch(url + path, {
      method,
      signal,
      redirect: 'error',
      ...(body === undefined ? {} : { body }),
    });
    const text = await answer.text();
    if (text.length > MAX_ANSWER && !path.endsWith('/erased-keys')) throw new Refused('answers with far too much');
    return { status: answer.status, text };
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
