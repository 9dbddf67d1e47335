import { resolve } from 'node:path';

import { jobId } from '#lib/kernel';

import { ServedFolder } from '../../apps/cli/src/testing/served-folder.js';
import { matches, type RanStep, runSteps, stepsOf } from '../support/console-page.js';

const MAIN = resolve('dist/mace/main.js');
const DEFINES_MACE = 'mace() {';

describe('docs/rights.md', () => {
  let served: ServedFolder;
  let ran: readonly RanStep[];
  beforeAll(async () => {
    served = await ServedFolder.open('rights');
    const steps = stepsOf('docs/rights.md').filter(({ command }) => !command.startsWith(DEFINES_MACE));
    // The page begins on a folder of its own; here a server is on it already.
    ran = await runSteps(steps, [`mktemp() { echo '${served.path}'; }`, `mace() { node '${MAIN}' "$@"; }`]);
  }, 180_000);
  afterAll(() => served.close({ erased: [jobId('rights-1')] }));

  it('has commands', () => expect(ran.length).toBeGreaterThan(20));

  it('prints what it says, command by command', () => {
    const others = ran.filter((step) => step.exited !== step.exitCode || !matches(step));
    expect(others).toEqual([]);
  });
});
