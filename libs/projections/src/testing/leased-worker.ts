import { once } from 'node:events';
import { openMongoReadStore } from '#lib/read-store';
import { newLease } from '../lease.js';
import { ProjectionRunner } from '../projection-runner.js';
import { computedLog } from './computed-log.js';
import { notesProjection, parse } from './notes.js';

/**
 * A process for SIGSTOP: owns the projection in the MongoDB at `argv[2]` while nobody else does, over a log of `argv[3]`
 * events, with a lease of `argv[4]` ms. Writes each state that it enters. At the position `argv[5]` it says `waiting` and
 * goes on once it is sent a line; it ends when its input does.
 */
const [url = '', count = '0', leaseMs = '0', waitsAt] = process.argv.slice(2);
const documents = await openMongoReadStore({ url });
const events = computedLog(Number(count), async (at) => {
  if (at !== waitsAt) return;
  process.stdout.write('waiting\n');
  await once(process.stdin, 'data');
});
const runner = new ProjectionRunner(notesProjection, {
  events,
  documents,
  decode: parse,
  maxBatchEvents: 7,
  lease: newLease(Number(leaseMs)),
  onChange: (_, { state }) => process.stdout.write(`${state}\n`),
});
runner.start();
process.stdin.resume();
await once(process.stdin, 'end');
await runner.stop();
await documents.close();
