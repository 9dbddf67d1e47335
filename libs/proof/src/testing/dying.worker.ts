import { KeyRing } from '#lib/kernel';
import { START } from '#lib/event-store';

import { AnchorFile } from '../anchor-file.js';
import { ProofStore } from '../store/proof-store.js';
import { openFolder } from './open-folder.js';
import { EVENT_KEY, fill, signingKey } from './proof-support.js';

/** Opens a log, appends events to it, and dies at one step of the checkpoint over them, as by a power cut. */
const [path, key, place, from, count] = process.argv.slice(2) as [string, string, string, string, string];
const ring = new KeyRing([signingKey('c1', { secret: Buffer.from(key, 'hex') }), EVENT_KEY]);
const { events, log } = await openFolder(path, ring);
const isBegun = (await events.head()) !== START;

const [when, step] = place.split(' ');
const steps = (step === 'keep' ? ProofStore.prototype : AnchorFile.prototype) as unknown as Record<
  string,
  (...parameters: unknown[]) => Promise<unknown>
>;
const real = steps[step!]!;
steps[step!] = async function (...parameters) {
  if (when === 'before') process.kill(process.pid, 'SIGKILL');
  await real.apply(this, parameters);
  process.kill(process.pid, 'SIGKILL');
};

await fill(events, Number(count), Number(from));
if (isBegun) await log.covering(await events.head(), 60_000);
else await log.begin();
