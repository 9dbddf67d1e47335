import { Worker } from 'node:worker_threads';

import { sqliteCode } from './errors.js';
import { DamagedFileError, DataFileError } from './store-file.js';

/** What main thread and worker say to each other; a batch is answered by one message in the same order. */
export type ToWorker = { readonly kind: 'batch'; readonly packed: unknown } | { readonly kind: 'stop' };
export type FromWorker<R> =
  | { readonly kind: 'ready' }
  | { readonly kind: 'answers'; readonly answers: readonly R[] }
  | { readonly kind: 'failed'; readonly error: Error; readonly file?: FileProblem; readonly errcode?: number };

/** What a DataFileError says; a message between threads keeps no class and no members of an error, its errcode neither. */
interface FileProblem {
  readonly path: string;
  readonly problem: string;
  readonly remedy: string;
  readonly isDamage: boolean;
}

export interface FileWorkerOptions<Q, R = unknown> {
  /** Of a built worker thread, as `new URL(..., import.meta.url)` names it. */
  readonly entry: URL;
  /** Shown by debuggers and profilers. */
  readonly name: string;
  /** Passed to the worker's `open`; must be cloneable. */
  readonly data: unknown;
  /** Most requests in one batch. */
  readonly maxBatch: number;
  /** A batch takes no further request once it weighs this much. */
  readonly maxWeight: number;
  /** Weight of one request; constant 1 by default. */
  readonly weigh?: (request: Q) => number;
  /** The batch as it travels, for the owner's `unpack`; as it is by default. Each string and object costs a message time. */
  readonly pack?: (requests: readonly Q[]) => unknown;
  /** Buffers of what `pack` gave that change hands instead of being copied; this thread has them no more. */
  readonly handOver?: (packed: unknown) => readonly ArrayBuffer[];
  /** Told of each answered batch as a whole, in the order of its requests, before anybody hears of an answer. */
  readonly onAnswers?: (requests: readonly Q[], answers: readonly R[]) => void;
  /** Told once where the thread ends without having been told to; every request fails from then on. */
  readonly onGone?: (reason: FileWorkerGoneError) => void;
}

/** The worker is gone or was told to go; whether what was asked has happened is unknown. */
export class FileWorkerGoneError extends Error {
  constructor(reason: string, options?: ErrorOptions) {
    super(reason, options);
    this.name = 'FileWorkerGoneError';
  }
}

/**
 * So many requests do not wait for the end of the turn: the thread commits them while this one prepares the next. With
 * 64 callers who sign what they append this raises the rate by half; smaller batches cost more commits than they save.
 */
const WORTH_A_COMMIT = 32;

interface Waiting<Q, R> {
  readonly request: Q;
  readonly resolve: (answer: R) => void;
  readonly reject: (error: Error) => void;
}

/**
 * A thread that owns a file. Requests that arrive in one turn of the event loop, or while a batch is under way, travel
 * together: one message there, one transaction, one message back.
 *
 * It ends only by `stop`: terminate() or process.exit() during a native call would abort the process.
 */
export class FileWorker<Q, R> {
  private waiting: Waiting<Q, R>[] = [];
  private underWay: Waiting<Q, R>[] = [];
  private flushPlanned = false;
  private gone: FileWorkerGoneError | null = null;
  private stopping: Promise<void> | undefined;
  private wakeWhenIdle: (() => void) | undefined;
  private readonly exited: Promise<void>;

  private constructor(
    private readonly worker: Worker,
    private readonly options: FileWorkerOptions<Q, R>,
  ) {
    this.exited = new Promise((resolve) => worker.once('exit', () => resolve()));
    worker.on('message', (message: FromWorker<R>) => this.receive(message));
    worker.on('error', (error: Error) =>
      this.lose(new FileWorkerGoneError(`${options.name} broke down: ${error.message}`, { cause: error })),
    );
    worker.once('exit', (code) => this.lose(new FileWorkerGoneError(`${options.name} ended with code ${code}`)));
  }

  /** @throws what the worker's `open` threw, or the reason why it could not be started */
  static async start<Q, R>(options: FileWorkerOptions<Q, R>): Promise<FileWorker<Q, R>> {
    const worker = new Worker(options.entry, { workerData: options.data, name: options.name });
    await new Promise<void>((resolve, reject) => {
      const ended = (code: number): void =>
        reject(new FileWorkerGoneError(`${options.name} ended with code ${code} before it was ready`));
      worker.once('error', reject);
      worker.once('exit', ended);
      worker.once('message', (message: FromWorker<R>) => {
        worker.off('error', reject);
        worker.off('exit', ended);
        if (message.kind === 'failed') reject(failureOf(message));
        else resolve();
      });
    });
    return new FileWorker<Q, R>(worker, options);
  }

  /** @throws FileWorkerGoneError, or what `pack` or the worker's `answer` threw for the batch this request was part of */
  request(request: Q): Promise<R> {
    if (this.gone) return Promise.reject(this.gone);
    if (this.stopping) return Promise.reject(new FileWorkerGoneError(`${this.options.name} is closed`));
    return new Promise((resolve, reject) => {
      this.waiting.push({ request, resolve, reject });
      this.flushSoon();
    });
  }

  /**
   * Answers what was asked before, closes the file, waits for the thread's end. Again is no error.
   * @throws FileWorkerGoneError where closing failed
   */
  stop(): Promise<void> {
    this.stopping ??= this.finish();
    return this.stopping;
  }

  private async finish(): Promise<void> {
    if (this.waiting.length + this.underWay.length > 0)
      await new Promise<void>((resolve) => (this.wakeWhenIdle = resolve));
    if (this.gone) return this.exited;
    this.worker.postMessage({ kind: 'stop' } satisfies ToWorker);
    await this.exited;
    this.throwIfBroken();
  }

  /** Unlike an end that was asked for, a breakdown has a cause. */
  private throwIfBroken(): void {
    if (this.gone?.cause !== undefined) throw this.gone;
  }

  private flushSoon(): void {
    if (this.underWay.length > 0 || this.waiting.length === 0) return;
    if (this.waiting.length >= WORTH_A_COMMIT) return this.flush();
    if (this.flushPlanned) return;
    this.flushPlanned = true;
    // After the microtasks of this turn, in which other callers ask too.
    setImmediate(() => {
      this.flushPlanned = false;
      this.flush();
    });
  }

  private flush(): void {
    if (this.gone || this.underWay.length > 0 || this.waiting.length === 0) return;
    this.underWay = this.takeBatch();
    const requests = this.underWay.map(({ request }) => request);
    const { pack, handOver } = this.options;
    try {
      const packed = pack ? pack(requests) : requests;
      this.worker.postMessage({ kind: 'batch', packed } satisfies ToWorker, handOver?.(packed) ?? []);
    } catch (error) {
      // Nothing was sent, so that no answer comes for whoever waits.
      this.refuse(error as Error);
    }
  }

  private refuse(reason: Error): void {
    const refused = this.underWay;
    this.underWay = [];
    for (const { reject } of refused) reject(reason);
    this.flushSoon();
    this.wakeIfIdle();
  }

  private takeBatch(): Waiting<Q, R>[] {
    const { maxBatch, maxWeight, weigh = () => 1 } = this.options;
    let count = 0;
    let weight = 0;
    while (count < this.waiting.length && count < maxBatch && weight < maxWeight) {
      weight += weigh(this.waiting[count]!.request);
      count++;
    }
    if (count === this.waiting.length) {
      const all = this.waiting;
      this.waiting = [];
      return all;
    }
    return this.waiting.splice(0, count);
  }

  private receive(message: FromWorker<R>): void {
    const answered = this.underWay;
    this.underWay = [];
    // The thread gets its next batch before the answers are handed out, so that both threads work at once.
    this.flushSoon();
    if (message.kind === 'answers') {
      this.options.onAnswers?.(
        answered.map(({ request }) => request),
        message.answers,
      );
      for (const [i, { resolve }] of answered.entries()) resolve(message.answers[i] as R);
    } else if (message.kind === 'failed') {
      const failure = failureOf(message);
      for (const { reject } of answered) reject(failure);
    }
    this.wakeIfIdle();
  }

  private lose(reason: FileWorkerGoneError): void {
    if (this.gone) return;
    this.gone = reason;
    const lost = [...this.underWay, ...this.waiting];
    this.underWay = [];
    this.waiting = [];
    for (const { reject } of lost) reject(reason);
    this.wakeIfIdle();
    if (!this.stopping) this.options.onGone?.(reason);
  }

  private wakeIfIdle(): void {
    if (this.waiting.length + this.underWay.length === 0) this.wakeWhenIdle?.();
  }
}

export function failure(error: unknown): FromWorker<never> & { kind: 'failed' } {
  const errcode = sqliteCode(error);
  if (!(error instanceof DataFileError))
    return { kind: 'failed', error: error as Error, ...(errcode === undefined ? {} : { errcode }) };
  const { path, problem, remedy } = error;
  return { kind: 'failed', error, file: { path, problem, remedy, isDamage: error instanceof DamagedFileError } };
}

function failureOf({ error, file, errcode }: FromWorker<unknown> & { kind: 'failed' }): Error {
  if (!file) return errcode === undefined ? error : Object.assign(error, { errcode });
  const Kind = file.isDamage ? DamagedFileError : DataFileError;
  return new Kind(file.path, file.problem, file.remedy, { cause: error });
}
