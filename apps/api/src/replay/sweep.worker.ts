import { parentPort, workerData } from 'node:worker_threads';

import { accessEvents } from '#lib/access';
import { EventCodec, openStreamReader } from '#lib/event-store';
import { Calls, giveWay, ringOf } from '#lib/integrity';
import { EventRegistry } from '#lib/kernel';
import { openSignedReader } from '#lib/proof';
import { RangeKeys, type RangeOutcome, RangeReplayer, signedBy } from '#lib/replay';

import { EVENT_DEFINITIONS } from '../event-definitions.js';
import type { SweepOwner, SweepThreadData } from './sweep-thread-data.js';

/** A thread that replays ranges of jobs, from a log of its own over the files of the folder. */
const { folder, ring, checkpoint, background } = workerData as SweepThreadData;
const port = parentPort!;
if (background) giveWay();
const reads = openStreamReader(folder);
const signed = checkpoint && openSignedReader(folder, checkpoint);
const calls: Calls = new Calls(port, {
  replay: (jobIds: readonly string[]): Promise<RangeOutcome> => replayer.replay(jobIds),
  stop: () => {
    reads.close();
    signed?.close();
    port.close();
  },
});
const owner: SweepOwner = {
  keys: (kids) => calls.ask('keys', kids),
  broughtTo: () => calls.ask('broughtTo', null),
};
const keyRing = ringOf(ring);
const keys = new RangeKeys((kids) => owner.keys(kids), keyRing);
const replayer = new RangeReplayer({
  reads,
  codec: new EventCodec(new EventRegistry([...accessEvents, ...EVENT_DEFINITIONS]), keyRing, keys),
  ring: keyRing,
  keys,
  reviews: owner,
  ...(signed ? { tree: signedBy(signed) } : {}),
  clock: () => performance.now(),
});
