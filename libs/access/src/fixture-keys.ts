import { createPrivateKey, hash } from 'node:crypto';

import { KeyRing, type KeyPurpose, type RingKey } from '#lib/kernel';

/** Keys that everybody knows: tests sign with them, so that hashes stand in golden files; production refuses them. */

const ED25519: readonly KeyPurpose[] = ['token-signature', 'response-signature', 'checkpoint-signature'];
const SECRETS: readonly KeyPurpose[] = [
  'event-hmac',
  'snapshot-hmac',
  'pii-hmac',
  'request-hmac',
  'data-key-wrapping',
  'forensic-evidence',
];
/** PKCS#8 in DER of an Ed25519 key, up to its 32-byte seed (RFC 8410). */
const PKCS8_PREFIX = Buffer.from('302e020100300506032b657004220420', 'hex');

export function fixtureKeys(): RingKey[] {
  return [...SECRETS, ...ED25519].map((purpose) => ({
    kid: `${purpose}.fixture`,
    purpose,
    state: 'active',
    secret: fixtureSecret(purpose),
    notBefore: '2025-01-01T00:00:00.000Z',
  }));
}

export function fixtureKeyRing(): KeyRing {
  return new KeyRing(fixtureKeys());
}

export function isFixtureSecret(secret: Buffer): boolean {
  return fixtureKeys().some((key) => key.secret.equals(secret));
}

function fixtureSecret(purpose: KeyPurpose): Buffer {
  const seed = hash('sha256', `mace test fixture ${purpose}`, 'buffer');
  if (!ED25519.includes(purpose)) return seed;
  const key = createPrivateKey({ key: Buffer.concat([PKCS8_PREFIX, seed]), format: 'der', type: 'pkcs8' });
  return key.export({ type: 'pkcs8', format: 'der' });
}
