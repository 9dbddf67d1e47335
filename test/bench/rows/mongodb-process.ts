import { MongoWire } from '../../fixtures/mongodb-wire/mongodb-wire.js';

/** A double of MongoDB as a process of its own, in memory: what it takes is not the driver's time. */
export interface MongoWireReady {
  readonly kind: 'ready';
  readonly url: string;
}

const wire = await MongoWire.start();
process.send!({ kind: 'ready', url: wire.url } satisfies MongoWireReady);
process.once('SIGTERM', () => void wire.stop().then(() => process.disconnect()));
