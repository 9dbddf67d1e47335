import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

import { mace as runMace } from '../../apps/cli/src/testing/mace.js';
import { matches, runSteps, stepsOf } from '../support/console-page.js';
import { newDataFolder } from '../support/data-folder.js';
import { until } from '../support/eventually.js';
import { proposalBy, RoomClient } from '../support/room-client.js';
import { ServedProcess, tokenFor } from '../support/served-process.js';

const MAIN = resolve('dist/mace/main.js');
const PAGE = 'docs/negotiation-room.md';
const LISTENING = /takes gRPC calls[^\n]* port=(\d+)/;

let folder: string;
let scripts: string;
let server: ServedProcess;
let address: string;
beforeAll(async () => {
  folder = await newDataFolder('room');
  scripts = mkdtempSync(join(tmpdir(), 'mace-room-page-'));
  server = await ServedProcess.start(folder, { MACE_GRPC_PORT: '0', MACE_LOG_LEVEL: 'info' });
  // What it wrote to stderr may come after what it wrote to stdout later.
  await until(() => Promise.resolve(LISTENING.test(server.log())));
  address = `127.0.0.1:${LISTENING.exec(server.log())![1]}`;
}, 120_000);
afterAll(async () => {
  await server.stop();
  for (const one of [folder, scripts]) rmSync(one, { recursive: true, force: true });
});

describe(PAGE, () => {
  it('prints what it says, command by command, with the client that it shows', async () => {
    const [, client] = /^```js\n([\s\S]*?)^```$/m.exec(readFileSync(PAGE, 'utf8'))!;
    writeFileSync(join(scripts, 'propose.mjs'), client!);
    const prelude = [
      `export MACE_GRPC_PORT=${address.split(':')[1]} ROOM=${address}`,
      `mace() { node '${MAIN}' --data '${folder}' "$@"; }`,
      // From the checkout, whose packages it takes.
      `node() { if [ "$1" = propose.mjs ]; then command node --input-type=module < '${scripts}/propose.mjs'; else command node "$@"; fi; }`,
    ];
    const ran = await runSteps(stepsOf(PAGE), prelude);
    expect(ran.length).toBeGreaterThan(8);
    expect(ran.filter((step) => step.exited !== step.exitCode || !matches(step))).toEqual([]);
  }, 120_000);
});

describe('mace negotiate', () => {
  let token: string;
  const mace = (...args: string[]) => runMace('--data', folder, ...args);
  const vote = (...more: string[]) =>
    mace('negotiate', 'vote', 'code-1', '--critic', 'cara', '--score', '8.5', '--confidence', '0.9', ...more);
  beforeAll(async () => {
    token = tokenFor(folder, 'cara', 'agent');
    const maker = tokenFor(folder, 'maker', 'agent');
    const client = new RoomClient(Number(address.split(':')[1]), () => maker);
    await client.call('maker', 'SubmitProposal', proposalBy('maker', 'code-1', ['cara']));
    client.close();
  }, 60_000);

  it('says what it would send, and needs a verdict, a token and an address', async () => {
    const rehearsed = await vote('--fail', '--address', address, '--dry-run');
    expect([rehearsed.code, rehearsed.out]).toEqual([
      0,
      expect.stringMatching(/^would send SubmitVote to .*"passed":false/),
    ]);
    expect(await vote('--address', address)).toMatchObject({ code: 64, err: 'mace: say --pass or --fail' });
    expect(await vote('--pass', '--address', address)).toMatchObject({
      code: 64,
      err: 'mace: MACE_TOKEN or --token-file: the critic’s token',
    });
    expect((await vote('--pass', '--score', 'many')).code).toBe(64);
  });

  it('ends with 69 where no room is', async () => {
    const away = await runMace(
      '--data',
      folder,
      '--token',
      token,
      'negotiate',
      'vote',
      'code-1',
      '--critic',
      'cara',
      '--score',
      '8',
      '--confidence',
      '1',
      '--pass',
      '--address',
      '127.0.0.1:1',
    );
    expect([away.code, away.err]).toEqual([
      69,
      expect.stringMatching(/^mace: no Negotiation Room answers at 127.0.0.1:1/),
    ]);
  });

  it('lists what a critic is asked, watches until it is decided, and shows it', async () => {
    const asked = async (): Promise<string> =>
      (await mace('--token', token, 'negotiate', 'list', '--mine', '--status', 'open')).out;
    await until(async () => /^code-1 +CODE +open/m.test(await asked()));
    const watching = mace('negotiate', 'watch', 'code-1');
    const voted = await mace(
      '--json',
      '--token',
      token,
      'negotiate',
      'vote',
      'code-1',
      '--critic',
      'cara',
      '--score',
      '8.5',
      '--confidence',
      '0.9',
      '--pass',
      '--recommend',
      'shorter',
      '--address',
      address,
    );
    expect(JSON.parse(voted.out)).toEqual({ artifact_id: 'code-1', critic_id: 'cara', disposition: 'counted' });
    const told = [
      'cara passes it: score 8.5, confidence 0.9',
      'APPROVED: score, confidence, passes and agreement suffice',
    ];
    expect(await watching).toMatchObject({ code: 0, out: told.join('\n') });
    expect((await mace('negotiate', 'show', 'code-1')).out.split('\n').slice(-2)).toEqual(told);
    const { out } = await mace('--json', '--token', token, 'negotiate', 'show', 'code-1');
    expect(JSON.parse(out)).toMatchObject({ status: 'decided', votes: [{ recommendations: ['shorter'] }] });
    expect((await mace('negotiate', 'show', 'nothing')).code).toBe(1);
  });
});
