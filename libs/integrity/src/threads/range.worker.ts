import { parentPort, workerData } from 'node:worker_threads';

import { openEventLogReader } from '#lib/event-store';

import { readRange } from '../range/read-range.js';
import type { Range, RangeReport } from '../range/range-report.js';
import { RangeVerifier } from '../range/range-verifier.js';
import { Calls } from './calls.js';
import { askedKeys, giveWay, type RangeThreadData, ringOf } from './thread-data.js';

/** One more thread that checks ranges. */
const { folder, rules, ring, background } = workerData as RangeThreadData;
const port = parentPort!;
if (background) giveWay();
const reader = openEventLogReader(folder);
const calls: Calls = new Calls(port, {
  verify: (range: Range): Promise<RangeReport> => verifier.verify(range, (part) => readRange(reader, part)),
  stop: () => {
    reader.close();
    port.close();
  },
});
const verifier = new RangeVerifier(rules, ringOf(ring), askedKeys(calls));
