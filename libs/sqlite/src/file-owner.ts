import { parentPort, workerData } from 'node:worker_threads';

import { failure, type FromWorker, type ToWorker } from './file-worker.js';

/** The worker's side of a FileWorker. */
export interface FileOwner<Q, R> {
  /**
   * As many answers as requests, in their order, given only once what they say is durable. A throw refuses the whole
   * batch; the owner goes on with the next.
   */
  answer(requests: readonly Q[]): readonly R[];
  /** Told of requests of a batch ahead of its end, in their order; what it throws refuses the batch. */
  begin?(requests: readonly Q[]): void;
  /** Undoes what was begun: the batch is refused as a whole. */
  abandon?(): void;
  /** Undoes the `pack` of FileWorkerOptions. */
  unpack?(packed: unknown): readonly Q[];
  /** Buffers of the answers that change hands instead of being copied; this thread has them no more. */
  handOver?(answers: readonly R[]): readonly ArrayBuffer[];
  close(): void;
}

/** The whole body of a worker file: opens, answers batches until told to stop, closes, ends. */
export function ownFile<D, Q, R>(open: (data: D) => FileOwner<Q, R>): void {
  if (!parentPort) throw new Error('this file is the entry of a worker thread, not a program');
  const port = parentPort;
  const say = (message: FromWorker<R>, handOver: readonly ArrayBuffer[] = []): void =>
    port.postMessage(message, handOver);

  let owner: FileOwner<Q, R>;
  try {
    owner = open(workerData as D);
  } catch (error) {
    say(failure(error));
    return port.close();
  }
  let batch = new Batch(owner);
  port.on('message', (message: ToWorker) => {
    if (message.kind === 'stop') {
      owner.close();
      return port.close();
    }
    batch.add(message.packed, message.ends);
    if (!message.ends) return;
    const ended = batch;
    batch = new Batch(owner);
    let answers: readonly R[];
    try {
      answers = ended.answers();
    } catch (error) {
      return say(failure(error));
    }
    say({ kind: 'answers', answers }, owner.handOver?.(answers));
  });
  say({ kind: 'ready' });
}

/** What has arrived of the requests that are answered together. */
class Batch<Q, R> {
  private requests: readonly Q[] = [];
  private fault: { readonly error: unknown } | undefined;

  constructor(private readonly owner: FileOwner<Q, R>) {}

  /** @param packed null for nothing @param isLast whether the batch is answered next, so that nothing is ahead of it */
  add(packed: unknown, isLast: boolean): void {
    const { owner } = this;
    if (packed === null || this.fault) return;
    try {
      const part = owner.unpack ? owner.unpack(packed) : (packed as readonly Q[]);
      if (!isLast) owner.begin?.(part);
      this.requests = this.requests.length === 0 ? part : [...this.requests, ...part];
    } catch (error) {
      this.fault = { error };
    }
  }

  answers(): readonly R[] {
    if (this.fault) {
      this.owner.abandon?.();
      throw this.fault.error;
    }
    return this.owner.answer(this.requests);
  }
}
