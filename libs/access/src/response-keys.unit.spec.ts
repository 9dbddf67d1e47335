import { createPublicKey } from 'node:crypto';

import { KeyRing, type RingKey } from '#lib/kernel';
import { ResponseSigner, verifyAnswer, type ReceivedAnswer, type Verdict } from '#lib/signatures';

import { fixtureKeyRing, fixtureKeys } from './fixture-keys.js';
import { drawKeys } from './key-file.js';
import { responseKeys } from './response-keys.js';

const NOW = Date.parse('2026-01-01T12:00:00.500Z');
const KEYS = responseKeys(fixtureKeyRing());

function received(now = NOW, ring = fixtureKeyRing()): ReceivedAnswer {
  const signer = new ResponseSigner(ring.active('response-signature'));
  const request = { method: 'GET', target: '/' };
  const answer = { status: 200, contentType: undefined, body: '', traceId: 'trace-1', request };
  const headers = [...Object.entries(signer.headersFor(answer, now)), ['x-trace-id', 'trace-1'] as const];
  return { status: 200, headers, body: Buffer.alloc(0), request };
}
const reasonOf = (verdict: Verdict): string => (verdict.verified ? 'verified' : verdict.reason);

describe('the keys of answers', () => {
  const SECOND = '2026-06-01T00:00:00.000Z';
  const [old] = fixtureKeys().filter(({ purpose }) => purpose === 'response-signature') as [RingKey];
  const next = drawKeys(Date.parse(SECOND)).find(({ purpose }) => purpose === 'response-signature')!;
  const rotated = new KeyRing([{ ...old, state: 'verify-only', notAfter: SECOND }, next]);

  it('are published without secrets, the retired one with the end of its time', () => {
    const keys = responseKeys(rotated);
    expect(keys.map(({ kid, nbf, exp }) => [kid, nbf, exp])).toEqual([
      [old.kid, 1735689600, 1780272000],
      [next.kid, 1780272000, undefined],
    ]);
    expect(JSON.stringify(keys)).not.toContain('"d"');
    for (const key of keys)
      expect(createPublicKey({ key: { ...key }, format: 'jwk' }).asymmetricKeyType).toBe('ed25519');
  });

  it('are those of answers only, and no revoked ones', () => {
    const ring = new KeyRing(fixtureKeys().map((key) => ({ ...key, state: 'revoked' as const })));
    expect(responseKeys(ring)).toEqual([]);
    expect(KEYS.map(({ kid }) => kid)).toEqual(['response-signature.fixture']);
  });

  it('verify after a rotation what was signed before it, and nothing that the old key signed later', () => {
    const keys = responseKeys(rotated);
    expect(verifyAnswer(received(), keys)).toMatchObject({ verified: true, kid: old.kid });
    const july = Date.parse('2026-07-01T00:00:00Z');
    expect(verifyAnswer(received(july, rotated), keys)).toMatchObject({ verified: true, kid: next.kid });
    expect(reasonOf(verifyAnswer(received(july), keys))).toMatch(/outside the time/);
    expect(reasonOf(verifyAnswer(received(NOW, rotated), keys))).toMatch(/outside the time/);
    expect(reasonOf(verifyAnswer(received(july, rotated), KEYS))).toBe('its key is not among those given');
  });
});
