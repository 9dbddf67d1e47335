import { readFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';

import { matches, runSteps, stepsOf } from '../support/console-page.js';
import { newDataFolder } from '../support/data-folder.js';
import { freePort } from '../support/free-port.js';
import { blocksOf } from '../support/runnable-docs.js';
import { knownEventStore } from '../support/served-event-store.js';
import { ServedProcess } from '../support/served-process.js';

/** The second example of the README, word for word but for the ports. */

let folder: string;
let server: ServedProcess;
beforeAll(async () => {
  folder = await newDataFolder('own-agent');
  server = await ServedProcess.start(folder, { MACE_AGENT_HOSTS: 'localhost' });
});
afterAll(async () => {
  await server.stop();
  await rm(folder, { recursive: true, force: true });
});

it('an own agent is asked, outvoted and repaired, and its job replays with the agent switched off', async () => {
  const port = String(await freePort());
  const settings = { ...knownEventStore(folder), MACE_DATA_DIR: folder, MACE_URL: server.url, PORT: port };
  const prelude = Object.entries(settings).map(([name, value]) => `export ${name}='${value}'`);
  const steps = JSON.parse(JSON.stringify(stepsOf('README.md')).replaceAll('8700', port)) as ReturnType<typeof stepsOf>;
  const ran = await runSteps(steps, [...prelude, `trap 'kill $(jobs -p) 2>/dev/null' EXIT`]);
  expect(ran.length).toBe(10);
  expect(ran.filter((step) => step.exited !== step.exitCode || !matches(step))).toEqual([]);
});

it('the README shows the agent as it lies in examples', () => {
  const [{ script } = { script: '' }] = blocksOf('README.md', 'js');
  expect(readFileSync('examples/invitations.mjs', 'utf8').replace(/^\/\/.*\n/, '')).toBe(script);
});
