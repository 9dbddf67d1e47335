import { parentPort, workerData } from 'node:worker_threads';

import { failure, type FromWorker, type ToWorker } from './file-worker.js';

/** The worker's side of a FileWorker. */
export interface FileOwner<Q, R> {
  /**
   * As many answers as requests, in their order, given only once what they say is durable. A throw refuses the whole
   * batch; the owner goes on with the next.
   */
  answer(requests: readonly Q[]): readonly R[];
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
  port.on('message', (message: ToWorker) => {
    if (message.kind === 'stop') {
      owner.close();
      return port.close();
    }
    let answers: readonly R[];
    try {
      answers = owner.answer(owner.unpack ? owner.unpack(message.packed) : (message.packed as readonly Q[]));
    } catch (error) {
      return say(failure(error));
    }
    say({ kind: 'answers', answers }, owner.handOver?.(answers));
  });
  say({ kind: 'ready' });
}
