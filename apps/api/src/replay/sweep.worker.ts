import { parentPort, workerData } from 'node:worker_threads';

import { accessEvents } from '#lib/access';
import { EventCodec, openStreamReader } from '#lib/event-store';
import { Calls, giveWay, ringOf } from '#lib/integrity';
import { EventRegistry } from '#lib/kernel';
import { openSignedReader } from '#lib/proof';
import { RangeKeys, type RangeOutcome, RangeReplayer, signedBy } from '#lib/replay';

import { EVENT_DEFINITIONS } from '../event-definitions.js';
import type { SweepOwner, SweepTask, SweepThreadData } from './sweep-thread-data.js';

/** A thread that replays ranges of jobs, from a log of its own over the files of the folder. */
const { folder, background } = workerData as SweepThreadData;
const port = parentPort!;
if (background) giveWay();
let sweep: ThreadsSweep | undefined;
const calls: Calls = new Calls(port, {
  begin: (task: SweepTask) => {
    sweep = begun(task);
  },
  replay: (jobIds: readonly string[]): Promise<RangeOutcome> => sweep!.replayer.replay(jobIds),
  end,
  stop: () => {
    end();
    port.close();
  },
});
const owner: SweepOwner = {
  keys: (kids) => calls.ask('keys', kids),
  broughtTo: () => calls.ask('broughtTo', null),
};

interface ThreadsSweep {
  readonly replayer: RangeReplayer;
  close(): void;
}

/** Whatever was read or verified for a sweep is that sweep's alone. */
function begun({ ring, checkpoint }: SweepTask): ThreadsSweep {
  const reads = openStreamReader(folder);
  const signed = checkpoint && openSignedReader(folder, checkpoint);
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
  const close = (): void => {
    reads.close();
    signed?.close();
  };
  return { replayer, close };
}

function end(): void {
  sweep?.close();
  sweep = undefined;
}
