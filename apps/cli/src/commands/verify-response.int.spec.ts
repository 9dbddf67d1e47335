import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { createColors } from 'picocolors';

import { fixtureKeyRing, responseKeys } from '#lib/access';

import { startHost, type Host } from '../../../api/src/edge/testing/edge-host.js';
import { run } from '../run.js';

const ASKED = '/things/open?x=';

describe('mace verify-response', () => {
  let host: Host;
  let folder: string;
  let saved: string;
  let keys: string;

  beforeAll(async () => {
    host = await startHost();
    folder = mkdtempSync(join(tmpdir(), 'mace-verify-'));
    const answer = await fetch(`${host.url}${ASKED}`);
    const head = [...answer.headers].map(([name, value]) => `${name}: ${value}\r\n`).join('');
    saved = file('answer', `HTTP/1.1 ${answer.status} Bad Request\r\n${head}\r\n${await answer.text()}`);
    keys = file('keys', JSON.stringify({ keys: responseKeys(fixtureKeyRing()) }));
  });
  afterAll(async () => {
    await host.close();
    rmSync(folder, { recursive: true, force: true });
  });

  function file(name: string, text: string): string {
    const path = join(folder, name);
    writeFileSync(path, text);
    return path;
  }

  async function verify(answer: string, ...options: string[]): Promise<{ code: number; out: string; said: string }> {
    const out: string[] = [];
    const said: string[] = [];
    const io = {
      out: (line: string) => void out.push(line),
      say: (line: string) => void said.push(line),
      colors: createColors(false),
      interactive: false,
      unread: new AbortController().signal,
    };
    const code = await run(['verify-response', answer, ...options], io);
    return { code, out: out.join('\n'), said: said.join('\n') };
  }
  const asked = (method: string, path: string, jwks = keys): string[] => [
    '--method',
    method,
    '--path',
    path,
    '--jwks',
    jwks,
  ];

  it('ends with 0 for an answer as the server gave it, and says who signed it when', async () => {
    const { code, out } = await verify(saved, ...asked('get', ASKED));
    expect([code, out]).toEqual([0, expect.stringMatching(/^verified: signed by response-signature.fixture at 20/)]);
  });

  it.each([
    ['another method', () => asked('POST', ASKED), 'method, path, query, status or a header differs'],
    ['another path', () => asked('GET', '/things/a?x='), 'method, path, query, status or a header differs'],
    ['another query', () => asked('GET', '/things/open?x=1'), 'method, path, query, status or a header differs'],
    ['no query', () => asked('GET', '/things/open'), 'covers @query, which is not there'],
    ['too great an age', () => [...asked('GET', ASKED), '--max-age', '0'], 's are allowed'],
  ])('ends with 2 for %s, and says why', async (_, options, reason) => {
    const clock = jest.spyOn(Date, 'now').mockReturnValue(Date.now() + 1500);
    const { code, out } = await verify(saved, ...options());
    clock.mockRestore();
    expect([code, out]).toEqual([2, expect.stringMatching(`^NOT verified: .*${reason}`)]);
  });

  it('ends with 2 for another content, and with --json gives the verdict as JSON', async () => {
    const changed = file('changed', readFileSync(saved, 'utf8').replace('INVALID', 'VALID'));
    const { code, out } = await verify(changed, ...asked('GET', ASKED), '--json');
    expect([code, JSON.parse(out)]).toEqual([
      2,
      { verified: false, reason: expect.stringContaining('Content-Digest') },
    ]);
  });

  it.each([
    ['a file that is not there', 'nowhere', () => keys, 1, /cannot be read \(ENOENT\)/],
    ['a file that is no answer', 'keys', () => keys, 64, /not an answer as `curl -i` saves it/],
    ['keys that are none', 'answer', () => saved, 64, /not a JSON Web Key Set/],
    ['a place that gives no keys', 'answer', () => 'http://127.0.0.1:1/jwks.json', 69, /gives no keys/],
  ])('ends with its own code for %s', async (_, name, jwks, expected, message) => {
    const { code, said } = await verify(join(folder, name), ...asked('GET', ASKED, jwks()));
    expect([code, said]).toEqual([expected, expect.stringMatching(message)]);
  });
});
