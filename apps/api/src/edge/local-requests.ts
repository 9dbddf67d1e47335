import { AsyncLocalStorage } from 'node:async_hooks';
import type { IncomingMessage } from 'node:http';

/**
 * Which requests came through the data folder: marked on the object that Node made for the connection, where nothing
 * that a caller sends can reach.
 */
const fromSocket = new WeakSet<IncomingMessage>();
const inProcess = new AsyncLocalStorage<true>();

export function markLocal(request: IncomingMessage): void {
  fromSocket.add(request);
}

/** Runs a call of `fastify.inject` as a request of this process itself. */
export function asLocal<T>(call: () => T): T {
  return inProcess.run(true, call);
}

/** Whether what is done now is done for a request of this process itself: whoever made it reads the answer. */
export function isInProcess(): boolean {
  return inProcess.getStore() === true;
}

export function isLocalRequest(request: IncomingMessage): boolean {
  return fromSocket.has(request) || isInProcess();
}
