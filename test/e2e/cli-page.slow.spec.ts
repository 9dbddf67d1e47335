import { rm } from 'node:fs/promises';
import { resolve } from 'node:path';

import { matches, runSteps, stepsOf } from '../support/console-page.js';
import { newDataFolder } from '../support/data-folder.js';
import { knownEventStore } from '../support/served-event-store.js';
import { ServedProcess } from '../support/served-process.js';

const PAGE = 'docs/cli.md';

let folder: string;
let server: ServedProcess;
beforeAll(async () => {
  folder = await newDataFolder('cli-page');
  server = await ServedProcess.start(folder);
}, 120_000);
afterAll(async () => {
  await server.stop();
  await rm(folder, { recursive: true, force: true });
});

it(`${PAGE} shows commands that print what it says, and end with the code that it says`, async () => {
  const settings = Object.entries(knownEventStore(folder)).map(([name, value]) => `export ${name}='${value}'`);
  const main = resolve('dist/mace/main.js');
  const ran = await runSteps(stepsOf(PAGE), [...settings, `mace() { node '${main}' --data '${folder}' "$@"; }`]);
  expect(ran.length).toBeGreaterThan(10);
  expect(ran.filter((step) => step.exited !== step.exitCode || !matches(step))).toEqual([]);
}, 300_000);
