import { createServer, type AddressInfo } from 'node:net';

import { mace } from '../testing/mace.js';

/** A port on which nobody listens, or did a moment ago. */
async function closedPort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

describe('mace eventstore', () => {
  const before = process.env['EVENTSTORE_URL'];
  afterEach(() => {
    if (before === undefined) delete process.env['EVENTSTORE_URL'];
    else process.env['EVENTSTORE_URL'] = before;
  });

  it.each(['apply', 'verify'])('%s shows how it is used, and what its exit codes mean', async (command) => {
    const written: string[] = [];
    const write = jest.spyOn(process.stdout, 'write').mockImplementation((text) => written.push(String(text)) > 0);
    const ended = await mace('eventstore', command, '--help').finally(() => write.mockRestore());
    expect(ended.code).toBe(0);
    expect(written.join('')).toContain(`$ mace eventstore ${command}`);
    expect(written.join('')).toContain('Exit code 2 where something differs');
  });

  it('ends with 64 where no server is named, and says the form', async () => {
    delete process.env['EVENTSTORE_URL'];
    const ended = await mace('eventstore', 'verify');
    expect([ended.code, ended.out]).toEqual([64, '']);
    expect(ended.err).toMatch(/^mace: EVENTSTORE_URL: .*esdb:\/\/user:password@host:2113/);
  });

  it('ends with 64 where the settings cannot be read', async () => {
    process.env['EVENTSTORE_URL'] = 'esdb://127.0.0.1:1?tls=false';
    const ended = await mace('eventstore', 'apply', '--settings', '/nowhere');
    expect([ended.code, ended.out]).toEqual([64, '']);
    expect(ended.err).toMatch(/^mace: \/nowhere\/server\.json cannot be read/);
  });

  it.each(['apply', 'verify'])('%s ends with 69 where nobody answers, and changes nothing', async (command) => {
    process.env['EVENTSTORE_URL'] = `esdb://127.0.0.1:${await closedPort()}?tls=false&defaultDeadline=2000`;
    const ended = await mace('eventstore', command);
    expect([ended.code, ended.out]).toEqual([69, '']);
    expect(ended.err).toMatch(/mace: EventStoreDB: /);
  });
});
