import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { drawKeys, writeKeyFile } from '../../../../libs/access/src/key-file.js';
import { EACH_ITS_OWN, ServedProcess } from '../../../../test/support/served-process.js';

jest.setTimeout(300_000);

describe('the log of a server in production', () => {
  let folder: string;
  let server: ServedProcess | undefined;

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'mace-log-'));
    const keysFile = join(folder, 'keys', 'ring.json');
    writeKeyFile(keysFile, drawKeys(Date.now()));
    const settings = { MACE_MODE: 'production', MACE_KEYS_FILE: keysFile, MACE_LOG_LEVEL: 'debug' };
    server = await ServedProcess.start(join(folder, 'data'), settings);
  });
  afterAll(async () => {
    await server?.kill();
    rmSync(folder, { recursive: true, force: true });
  });

  /** Where it did not start there is no test. */
  const served = (): ServedProcess => server!;

  it('is one JSON object a line, of a request its shape and the trace that its answer names, and nothing it said', async () => {
    const said = 'wombat';
    const headers = { ...EACH_ITS_OWN, authorization: `Bearer ${said}`, 'user-agent': said, 'x-said': said };
    const ends = [`/jobs/${said}?cursor=${said}`, `/${said}`];
    const answers = await Promise.all(ends.map((path) => fetch(served().url + path, { headers })));
    expect(await served().stop()).toBe(0);
    const text = served().log().trim();
    expect(text).not.toContain(said);
    const lines = text.split('\n').map((line) => JSON.parse(line) as Record<string, unknown>);
    for (const line of lines)
      expect(line).toMatchObject({
        level: expect.any(Number) as number,
        time: expect.any(Number) as number,
        msg: expect.any(String) as string,
      });
    for (const [i, msg] of ['GET /jobs/:job_id', 'GET (no route)'].entries()) {
      const { status, headers: answered } = answers[i]!;
      const trace = answered.get('x-trace-id');
      expect(lines).toContainEqual(
        expect.objectContaining({ msg, status, trace, principal: '-', ms: expect.any(Number) as number }),
      );
    }
  });
});
