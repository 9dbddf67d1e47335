import { SqliteReadStore } from '#lib/read-store';
import { ProjectionRunner } from '../projection-runner.js';
import { computedLog } from './computed-log.js';
import { notesProjection, parse } from './notes.js';

/**
 * A process for kill -9: follows a log that only exists as a function of the position, in small batches, until it has
 * all `argv[3]` events. The read store is in the folder `argv[2]`. Writes a line for each batch that it takes.
 */
const [folder = '', count = '0'] = process.argv.slice(2);
const documents = await SqliteReadStore.open({ folder });
const events = computedLog(Number(count), (at) => process.stdout.write(`${at}\n`));
const runner = new ProjectionRunner(notesProjection, { events, documents, decode: parse, maxBatchEvents: 7 });
runner.start();
await runner.waitFor(count, 600_000);
await runner.stop();
await documents.close();
