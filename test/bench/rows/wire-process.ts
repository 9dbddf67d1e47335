import { EventStoreWire } from '../../fixtures/eventstore-wire/eventstore-wire.js';

/** A double of EventStoreDB as a process of its own, in memory: what it takes is not the client's time. */
export interface WireReady {
  readonly kind: 'ready';
  readonly url: string;
}

const wire = await EventStoreWire.start();
process.send!({ kind: 'ready', url: wire.url } satisfies WireReady);
process.once('SIGTERM', () => void wire.close().then(() => process.disconnect()));
