import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { DataFolder } from '#lib/sqlite';

it('npm start ends its server when it is ended itself: the port and the folder are free again', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'mace-npm-'));
  const data = join(folder, 'data');
  const env = { ...process.env, MACE_DATA_DIR: data, MACE_PORT: '0', MACE_GRPC_PORT: '0' };
  // On another release of Node (test/runner/full.mjs) it is that one which npm finds, and which serves.
  const found = execFileSync('node', ['--version'], { encoding: 'utf8' });
  expect([process.version, found.trim()]).toEqual([
    found.trim(),
    expect.stringContaining(`v${process.env['MACE_TEST_NODE'] ?? ''}`),
  ]);
  const npm = spawn('npm', ['start'], { env, stdio: ['ignore', 'pipe', 'inherit'], detached: true });
  try {
    let said = '';
    const url = await new Promise<string>((resolve, reject) => {
      npm.once('close', () => reject(new Error(`npm start ended: ${said}`)));
      npm.stdout.on('data', (chunk: Buffer) => {
        const [, found] = /listening on (http:\/\/\S+)/.exec((said += chunk.toString())) ?? [];
        if (found !== undefined) resolve(found);
      });
    });
    expect((await fetch(`${url}/health/ready`)).status).toBe(200);
    // Its output is closed when the last process that holds it is gone.
    const closed = once(npm, 'close');
    npm.kill('SIGTERM');
    await closed;
    await expect(fetch(`${url}/health/ready`)).rejects.toThrow('fetch failed');
    DataFolder.take(data).release();
  } finally {
    // The server too, which would be left where this test fails.
    if (npm.exitCode === null && npm.signalCode === null) process.kill(-npm.pid!, 'SIGKILL');
    rmSync(folder, { recursive: true, force: true });
  }
});
