import { parentPort, workerData } from 'node:worker_threads';

import { openEventLogReader } from '#lib/event-store';

import { readRange } from '../range/read-range.js';
import type { Range, RangeReport } from '../range/range-report.js';
import { RangeVerifier } from '../range/range-verifier.js';
import { Calls } from './calls.js';
import { askedKeys, type RangeThreadData, ringOf, turns } from './thread-data.js';

/** One more thread that checks ranges. */
const data = workerData as RangeThreadData;
const { folder, rules, ring } = data;
const port = parentPort!;
const reader = openEventLogReader(folder);
const calls: Calls = new Calls(port, {
  verify: (range: Range): Promise<RangeReport> =>
    verifier.verify(range, async (part) => {
      await turn();
      return readRange(reader, part);
    }),
  stop: () => {
    reader.close();
    port.close();
  },
});
const turn = turns(calls, data);
const verifier = new RangeVerifier(rules, ringOf(ring), askedKeys(calls));
