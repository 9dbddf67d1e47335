import { Worker } from 'node:worker_threads';
import type { CasRequest, CasResponse } from './cas.worker.js';

export interface CasThreadOptions {
  /** the built worker file */
  readonly entry: URL;
  /** wall clock for one request, milliseconds; the thread is terminated when it is passed */
  readonly timeoutMs: number;
  /** requests that may wait; more are refused at once */
  readonly queueLimit: number;
  /** heap of the thread, megabytes */
  readonly heapMb: number;
}

export type CasResult =
  | { readonly kind: 'output'; readonly text: string }
  | { readonly kind: 'none' }
  | { readonly kind: 'failed'; readonly why: 'timeout' | 'crash' | 'busy' | 'aborted' | 'closed' };

interface Pending {
  readonly id: number;
  readonly input: string;
  readonly signal: AbortSignal | undefined;
  readonly settle: (result: CasResult) => void;
}

/**
 * The symbolic engine in one thread, one request at a time. A request that takes too long, or is given up, costs the
 * thread; the next one gets a fresh thread. Idle, neither thread nor timer keeps the process alive.
 */
export class CasThread {
  private worker: Worker | undefined;
  private running: Pending | undefined;
  private timer: NodeJS.Timeout | undefined;
  private readonly queue: Pending[] = [];
  private nextId = 1;
  private closed = false;

  constructor(private readonly options: CasThreadOptions) {}

  /** Never rejects. */
  run(input: string, signal?: AbortSignal): Promise<CasResult> {
    if (this.closed) return Promise.resolve({ kind: 'failed', why: 'closed' });
    if (signal?.aborted === true) return Promise.resolve({ kind: 'failed', why: 'aborted' });
    if (this.queue.length >= this.options.queueLimit) return Promise.resolve({ kind: 'failed', why: 'busy' });
    return new Promise((resolve) => {
      const onAbort = (): void => this.abort(pending);
      const pending: Pending = {
        id: this.nextId,
        input,
        signal,
        settle: (result) => {
          signal?.removeEventListener('abort', onAbort);
          resolve(result);
        },
      };
      this.nextId += 1;
      signal?.addEventListener('abort', onAbort, { once: true });
      this.queue.push(pending);
      this.advance();
    });
  }

  async close(): Promise<void> {
    this.closed = true;
    for (const pending of this.queue.splice(0)) pending.settle({ kind: 'failed', why: 'closed' });
    await this.stop({ kind: 'failed', why: 'closed' });
  }

  private advance(): void {
    if (this.running !== undefined || this.closed) return;
    const next = this.queue.shift();
    if (next === undefined) return;
    this.running = next;
    const worker = this.thread();
    worker.ref();
    this.timer = setTimeout(() => this.replace({ kind: 'failed', why: 'timeout' }), this.options.timeoutMs);
    worker.postMessage({ id: next.id, input: next.input } satisfies CasRequest);
  }

  private thread(): Worker {
    if (this.worker !== undefined) return this.worker;
    const worker = new Worker(this.options.entry, {
      resourceLimits: { maxOldGenerationSizeMb: this.options.heapMb, maxYoungGenerationSizeMb: 16, stackSizeMb: 4 },
      // Kept from our own output, and not read: a stream that flows would keep the process alive.
      stdout: true,
      stderr: true,
      env: {},
      // Not ours to inherit: --input-type and its like stop a worker that is a file.
      execArgv: [],
    });
    worker.on('message', (response: CasResponse) => {
      if (this.worker === worker && this.running?.id === response.id) {
        this.finish(response.output === null ? { kind: 'none' } : { kind: 'output', text: response.output });
      }
    });
    const onEnd = (): void => {
      if (this.worker === worker) this.replace({ kind: 'failed', why: 'crash' });
    };
    worker.on('error', onEnd);
    worker.on('exit', onEnd);
    this.worker = worker;
    return worker;
  }

  private finish(result: CasResult): void {
    clearTimeout(this.timer);
    const { running } = this;
    this.running = undefined;
    this.worker?.unref();
    running?.settle(result);
    this.advance();
  }

  /** Gives the thread up together with its request, and goes on with the next one in a fresh thread. */
  private replace(result: CasResult): void {
    void this.stop(result);
    this.advance();
  }

  private async stop(result: CasResult): Promise<void> {
    const { worker } = this;
    this.worker = undefined;
    clearTimeout(this.timer);
    const { running } = this;
    this.running = undefined;
    running?.settle(result);
    worker?.unref();
    await worker?.terminate();
  }

  private abort(pending: Pending): void {
    if (this.running === pending) {
      this.replace({ kind: 'failed', why: 'aborted' });
      return;
    }
    const at = this.queue.indexOf(pending);
    if (at >= 0) this.queue.splice(at, 1);
    pending.settle({ kind: 'failed', why: 'aborted' });
  }
}
