import { readFileSync, readdirSync } from 'node:fs';
import { inRoot } from './root.mjs';

/** Where applications and servers are tested whole; the port has its contract, and commands ask a server. */
const ROOMS = ['test/e2e', 'test/golden', 'apps/api/src'];

/** By what a spec file opens an application on the store that MACE_TEST_EVENT_STORE names. */
const OPENS_ONE =
  /support\/(?:job-app|served-process|data-folder|replay-house|failure-producers|every-entrance)\.js|testing\/served-folder\.js/;

/** Opens an application, and is not run on a double of EventStoreDB; each with its reason. */
const LEFT_OUT = {
  'apps/api/src/event-store-server.int.spec.ts': 'it has a double of its own',
  'apps/api/src/start.int.spec.ts': 'it cuts and puts back events.db, which a server has not',
  'test/e2e/bad-days.e2e.spec.ts': 'it has a double of its own',
  'test/e2e/eventstoredb-tls.e2e.spec.ts': 'it has a double of its own',
  'test/e2e/full-disk.e2e.spec.ts': 'it fills the disk on which the embedded store keeps its files',
  'test/golden/many-jobs.spec.ts': 'five thousand jobs, of which each kind is in test/golden/jobs too',
  'test/golden/production-stores.spec.ts': 'it has a double of its own',
  'test/golden/replay-sweep.spec.ts': 'it takes first events out of the file, which on a server is told as an outage',
  'test/golden/released-logs.spec.ts': 'the logs of releases are folders with events.db',
};

/**
 * The spec files that run where MACE_TEST_EVENT_STORE=eventstoredb, relative to the project's folder. Of each that opens
 * an application and is left out the reason is told.
 */
export function specsOnEventStoreDb(tell) {
  const opening = ROOMS.flatMap(specsBelow).filter((file) => OPENS_ONE.test(readFileSync(inRoot(file), 'utf8')));
  const chosen = opening.filter((file) => !(file in LEFT_OUT));
  for (const [file, reason] of Object.entries(LEFT_OUT)) {
    if (!opening.includes(file)) throw new Error(`${file} opens no application and need not be left out`);
    tell(`NOT ON EVENTSTOREDB: ${file}: ${reason}`);
  }
  return chosen;
}

function specsBelow(room) {
  return readdirSync(inRoot(room), { recursive: true })
    .filter((name) => name.endsWith('.spec.ts'))
    .map((name) => `${room}/${name}`);
}
