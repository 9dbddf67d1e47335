import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { DataFolder } from '#lib/sqlite';

import { placeForSocket } from '../../api/src/edge/local-address.js';
import { readConfig } from '../../api/src/platform.config.js';
import { openClient } from './client.js';
import { mace } from './testing/mace.js';

describe('a command whose folder another process has', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'mace-client-'));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  it('speaks to the server that took it, though that one listens only after the command began', async () => {
    const held = DataFolder.take(folder);
    const take = jest.spyOn(DataFolder, 'take');
    const server = createServer((_, response) => response.end('{}'));
    try {
      const opening = openClient(readConfig({ MACE_DATA_DIR: folder, MACE_LOG_LEVEL: 'silent' }));
      // It has looked for a server, found none, and been refused the folder.
      while (take.mock.results.length === 0) await new Promise((resolve) => setImmediate(resolve));
      await once(server.listen(placeForSocket(folder)), 'listening');
      expect((await opening).transport).toBe('server');
    } finally {
      take.mockRestore();
      server.closeAllConnections();
      server.close();
      held.release();
    }
  });

  it('is told in a line, without a stack, where what answers is no MACE', async () => {
    const held = DataFolder.take(folder);
    const server = createServer(({ url }, response) =>
      url!.startsWith('/health') ? response.end('{}') : response.writeHead(500).end('<h1>broken</h1>'),
    );
    try {
      await once(server.listen(placeForSocket(folder)), 'listening');
      const { code, out, err } = await mace('--data', folder, 'sem', 'list');
      expect([code, out, err]).toEqual([
        69,
        '',
        'mace: what answers there is no MACE, or something stands before it: an error that has no envelope (status 500)',
      ]);
    } finally {
      server.closeAllConnections();
      server.close();
      held.release();
    }
  });
});
