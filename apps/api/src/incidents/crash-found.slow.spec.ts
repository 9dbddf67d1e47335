import { rmSync } from 'node:fs';

import { newDataFolder } from '../../../../test/support/data-folder.js';
import { eventually, until } from '../../../../test/support/eventually.js';
import { EACH_ITS_OWN, ServedProcess, tokenFor } from '../../../../test/support/served-process.js';

jest.setTimeout(120_000);

interface Ready {
  readonly degraded?: readonly { readonly part: string }[];
}
interface Incidents {
  readonly items: readonly {
    readonly severity: string;
    readonly status: string;
    readonly cause: { readonly type: string };
  }[];
}

let folder: string;
beforeAll(async () => {
  folder = await newDataFolder('crash-found');
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const partsOf = async ({ url }: ServedProcess): Promise<string[]> => {
  const ready = (await (await fetch(`${url}/health/ready`, { headers: EACH_ITS_OWN })).json()) as Ready;
  return (ready.degraded ?? []).map(({ part }) => part);
};

it('a start after a kill opens one incident, a warning, and says so; one after a stop says nothing', async () => {
  const stopped = await ServedProcess.start(folder);
  expect(await partsOf(stopped)).not.toContain('process');
  expect(await stopped.stop()).toBe(0);
  const killed = await ServedProcess.start(folder);
  expect(await partsOf(killed)).not.toContain('process');
  await killed.kill();
  for (let i = 0; i < 2; i++) {
    const next = await ServedProcess.start(folder);
    expect(await partsOf(next)).toContain('process');
    await until(() => next.log().includes('ended without stopping'), 'the line of the crash');
    await next.kill();
  }
  const last = await ServedProcess.start(folder);
  const authorization = `Bearer ${tokenFor(folder, 'olga', 'operator')}`;
  const crashes = await eventually(async () => {
    const answer = await fetch(`${last.url}/incidents`, { headers: { ...EACH_ITS_OWN, authorization } });
    const { items } = (await answer.json()) as Incidents;
    const found = items.filter(({ cause }) => cause.type === 'PROCESS_CRASHED');
    return found.length > 0 ? found : null;
  }, 'the incident of the crash');
  expect(crashes).toMatchObject([{ severity: 'warning', status: 'open' }]);
  await last.stop();
});
