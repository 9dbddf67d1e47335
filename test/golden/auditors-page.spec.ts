import { resolve } from 'node:path';

import { ServedFolder } from '../../apps/cli/src/testing/served-folder.js';
import { matches, type RanStep, runSteps, stepsOf } from '../support/console-page.js';

const MAIN = resolve('dist/apps/cli/src/main.js');
const DEFINES_MACE = 'mace() {';

describe('docs/auditors.md', () => {
  let served: ServedFolder;
  let ran: readonly RanStep[];
  beforeAll(async () => {
    served = await ServedFolder.open('audited');
    const steps = stepsOf('docs/auditors.md').filter(({ command }) => !command.startsWith(DEFINES_MACE));
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
