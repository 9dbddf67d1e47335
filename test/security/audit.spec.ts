import { spawn } from 'node:child_process';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A registry of our own, which knows weaknesses or does not answer. */
describe('the audit of packages', () => {
  let registry: Server | undefined;
  afterEach(() => new Promise((done) => (registry ? registry.close(done) : done(undefined))));

  async function audit(answer: RequestListener): Promise<{ code: number | null; output: string }> {
    registry = createServer(answer);
    await new Promise<void>((done) => registry!.listen(0, '127.0.0.1', done));
    const { port } = registry.address() as AddressInfo;
    const env = { ...process.env, npm_config_registry: `http://127.0.0.1:${port}/`, npm_config_offline: 'false' };
    const child = spawn(process.execPath, ['scripts/audit.mjs'], { env, stdio: ['ignore', 'pipe', 'inherit'] });
    let output = '';
    child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
    const code = await new Promise<number | null>((done) => child.on('close', done));
    return { code, output };
  }

  const json =
    (status: number, body: unknown): RequestListener =>
    (request, response) => {
      const isAdvisories = request.url?.startsWith('/-/npm/v1/security/advisories') ?? false;
      response.writeHead(isAdvisories ? status : 404, { 'content-type': 'application/json' });
      response.end(JSON.stringify(isAdvisories ? body : {}));
    };

  it('passes where the registry knows of nothing', async () => {
    expect(await audit(json(200, {}))).toEqual({ code: 0, output: '' });
  });

  it('fails on a package that is known to be weak, and names it', async () => {
    const advisory = {
      id: 1,
      url: 'https://advisories.example/1',
      title: 'Opens doors',
      severity: 'high',
      vulnerable_versions: '*',
    };
    const { code, output } = await audit(json(200, { fastify: [advisory] }));
    expect(code).toBe(1);
    expect(output).toContain('high: fastify: Opens doors, * (https://advisories.example/1)');
  });

  it('says loudly that nothing is known where the registry does not serve it', async () => {
    const { code, output } = await audit(json(404, { error: 'not served' }));
    expect(code).toBe(3);
    expect(output).toContain('NOT AUDITED');
  });
});
