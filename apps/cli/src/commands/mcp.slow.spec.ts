import { execFile, spawnSync } from 'node:child_process';
import { promisify } from 'node:util';

import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';

import { newDataFolder } from '../../../../test/support/data-folder.js';
import { ServedFolder } from '../testing/served-folder.js';

const KEY = 'user/profile/user_tuff/favorite_color';

let served: ServedFolder;
let token: string;

beforeAll(async () => {
  served = await ServedFolder.open('mcp');
  token = await served.token('tuff', ['user'], false);
});
afterAll(() => served.close());

async function started(given: string, mode: 'legacy' | { pin: string }): Promise<Client> {
  const client = new Client({ name: 'spec', version: '1' }, { versionNegotiation: { mode } });
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: ['scripts/mace.mjs', 'mcp', '--data', served.path],
    env: { PATH: process.env['PATH'] ?? '', MACE_TOKEN: given },
    stderr: 'ignore',
  });
  await client.connect(transport);
  return client;
}

it.each([
  ['2025', 'legacy' as const],
  ['2026', { pin: '2026-07-28' }],
])(
  'mace mcp speaks for the running server to a client of %s, as the holder of its token',
  async (_, mode) => {
    const client = await started(token, mode);
    try {
      expect(client.getInstructions()).toContain('under user_tuff');
      const { tools } = await client.listTools();
      expect(tools.map(({ name }) => name)).toEqual(expect.arrayContaining(['ask', 'recall']));
      expect(tools.map(({ name }) => name)).not.toContain('vote');
      const put = await client.callTool({ name: 'remember', arguments: { key: KEY, value: 'blue' } });
      expect(put).toMatchObject({ structuredContent: { success: true } });
      const denied = await client.callTool({ name: 'recall', arguments: { key: KEY.replace('tuff', 'eve') } });
      expect(denied).toMatchObject({ isError: true, structuredContent: { error_code: 'PERMISSION_DENIED' } });
      const { contents } = await client.readResource({ uri: `mace://memory/${KEY}/history` });
      expect(JSON.stringify(contents)).toContain('user_tuff');
      await expect(client.readResource({ uri: 'mace://nothing' })).rejects.toThrow('of a resource template');
    } finally {
      await client.close();
    }
  },
  60_000,
);

it('mace mcp says on stderr why it does not begin: no server, and a token that is none', async () => {
  const run = (folder: string, given: string) =>
    spawnSync(process.execPath, ['scripts/mace.mjs', 'mcp', '--data', folder], {
      env: { ...process.env, MACE_TOKEN: given },
      input: '',
      encoding: 'utf8',
    });
  const unserved = run(await newDataFolder('mcp-unserved'), token);
  expect([unserved.status, unserved.stdout]).toEqual([69, '']);
  expect(unserved.stderr).toContain('no server runs on the data folder');
}, 60_000);

it('mace mcp answers what is no message by an error of JSON-RPC, and goes on until a line is too long', async () => {
  const { PATH = '' } = process.env;
  const args = ['scripts/mace.mjs', 'mcp', '--data', served.path];
  const running = promisify(execFile)(process.execPath, args, { env: { PATH, MACE_TOKEN: token }, timeout: 20_000 });
  const lines = ['{bad', '[]', '', '{"jsonrpc":"1.0","id":1,"method":"ping"}', 'x'.repeat(1_100_000)];
  running.child.stdin!.end(lines.join('\n'));
  const { stdout, stderr } = await running;
  const answers = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as object);
  const codes = [-32_700, -32_600, -32_600, -32_600];
  expect(answers).toMatchObject(codes.map((code) => ({ jsonrpc: '2.0', id: null, error: { code } })));
  expect(stderr).toBe('');
}, 60_000);
