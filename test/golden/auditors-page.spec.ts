import { resolve } from 'node:path';

import { ServedFolder } from '../../apps/cli/src/testing/served-folder.js';
import { ON_SERVER } from '../support/event-store-for-tests.js';
import { matches, type RanStep, runSteps, stepsOf } from '../support/console-page.js';

const MAIN = resolve('dist/mace/main.js');
const DEFINES_MACE = 'mace() {';
/** Takes the number of events for the position of the last, which it is where positions have no gaps. */
const BY_NUMBER = /\$SINCE\b|^SINCE=/;

describe('docs/auditors.md', () => {
  let served: ServedFolder;
  let ran: readonly RanStep[];
  beforeAll(async () => {
    served = await ServedFolder.open('audited');
    if (ON_SERVER)
      process.stderr.write(
        'NOT ON EVENTSTOREDB: docs/auditors.md, $SINCE: no position follows from a number of events\n',
      );
    const steps = stepsOf('docs/auditors.md').filter(
      ({ command }) => !command.startsWith(DEFINES_MACE) && !(ON_SERVER && BY_NUMBER.test(command)),
    );
    // The page begins on a folder of its own; here a server is on it already.
    ran = await runSteps(steps, [`mktemp() { echo '${served.path}'; }`, `mace() { node '${MAIN}' "$@"; }`]);
  }, 120_000);
  afterAll(() => served.close());

  it('has commands', () => expect(ran.length).toBeGreaterThan(10));

  it('prints what it says, command by command', () => {
    const others = ran.filter((step) => step.exited !== step.exitCode || !matches(step));
    expect(others).toEqual([]);
  });
});
