import { join } from 'node:path';

import { rotateKey } from '#lib/access';
import { verifyAnswer, type ReceivedAnswer, type ResponseKey } from '#lib/signatures';

import { JobApp } from '../../../../test/support/job-app.js';

describe('the public keys of answers', () => {
  let app: JobApp;
  beforeEach(async () => void (app = await JobApp.open()));
  afterEach(() => app.dispose());

  async function get(path: string): Promise<ReceivedAnswer> {
    const { statusCode, headers, rawPayload } = await app.parts.app.fastify.inject({ method: 'GET', url: path });
    const pairs = Object.entries(headers).map(([name, value]) => [name, String(value)] as const);
    return { status: statusCode, headers: pairs, body: rawPayload, request: { method: 'GET', target: path } };
  }

  async function keys(): Promise<readonly ResponseKey[]> {
    const { body } = await get('/.well-known/jwks.json');
    return (JSON.parse(Buffer.from(body).toString()) as { keys: readonly ResponseKey[] }).keys;
  }

  it('are there for everybody, may be kept for a while, and verify the answer that they come in', async () => {
    const answer = await get('/.well-known/jwks.json');
    expect(answer.status).toBe(200);
    expect(new Map(answer.headers).get('cache-control')).toBe('public, max-age=300');
    expect(verifyAnswer(answer, await keys())).toMatchObject({ verified: true, kid: 'response-signature.fixture' });
  });

  it('hold no secret, and no key of another purpose', async () => {
    const [key, ...others] = await keys();
    expect(others).toEqual([]);
    expect(Object.keys(key!).sort()).toEqual(['alg', 'crv', 'kid', 'kty', 'nbf', 'use', 'x']);
  });

  it('after a rotation verify what either key signed in its time', async () => {
    const before = await get('/health/live');
    let kid = '';
    await app.whileClosed(() => {
      ({ kid } = rotateKey(join(app.folder, 'keys', 'ring.json'), 'response-signature', Date.now()));
    });
    const after = await get('/health/live');
    const published = await keys();
    expect(published.map((key) => key.kid)).toEqual(['response-signature.fixture', kid]);
    expect(verifyAnswer(before, published)).toMatchObject({ verified: true, kid: 'response-signature.fixture' });
    expect(verifyAnswer(after, published)).toMatchObject({ verified: true, kid });
  });
});
