import { execFileSync } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { generateSync } from 'otplib';

import { EACH_ITS_OWN, ServedProcess, tokenFor } from '../support/served-process.js';

const CLI = join(process.cwd(), 'dist/mace/main.js');

/** What one process takes from a person stays taken, in the server that runs and in the one after a power cut. */
describe('revocations and one-time codes between processes', () => {
  let folder: string;
  let server: ServedProcess;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'mace-access-e2e-'));
    server = await ServedProcess.start(folder);
  });
  afterAll(async () => {
    await server.stop();
    await rm(folder, { recursive: true, force: true });
  });

  const mace = (...args: string[]): string =>
    execFileSync(process.execPath, [CLI, ...args], { env: { ...process.env, MACE_DATA_DIR: folder } })
      .toString()
      .trim();
  const isTaken = async (token: string): Promise<boolean> =>
    (await fetch(`${server.url}/jobs`, { headers: { authorization: `Bearer ${token}`, ...EACH_ITS_OWN } })).status ===
    200;
  const stepUp = async (token: string, otp: string) => {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json', ...EACH_ITS_OWN };
    const answer = await fetch(`${server.url}/auth/step-up`, {
      method: 'POST',
      headers,
      body: JSON.stringify({ otp }),
    });
    return { status: answer.status, body: (await answer.json()) as { access_token: string } };
  };

  it('hold at once, and after the process was killed', async () => {
    const [revoked, kept] = [tokenFor(folder, 'alice', 'user'), tokenFor(folder, 'alice', 'user')];
    const { secret } = JSON.parse(mace('otp', 'enrol', '--user', 'alice', '--json')) as { secret: string };
    expect([await isTaken(revoked), await isTaken(kept)]).toEqual([true, true]);
    expect(mace('token', 'revoke', revoked)).toBe('revoked');
    expect([await isTaken(revoked), await isTaken(kept)]).toEqual([false, true]);
    const code = generateSync({ secret });
    const { status, body } = await stepUp(kept, code);
    expect([status, await isTaken(body.access_token)]).toEqual([200, true]);

    await server.kill();
    server = await ServedProcess.start(folder);
    expect([await isTaken(revoked), await isTaken(kept), await isTaken(body.access_token)]).toEqual([
      false,
      true,
      true,
    ]);
    expect((await stepUp(kept, code)).status).toBe(401);
    expect(() => mace('token', '--user', 'alice', '--role', 'user', '--otp', code)).toThrow(/UNAUTHENTICATED/);
  });
});
