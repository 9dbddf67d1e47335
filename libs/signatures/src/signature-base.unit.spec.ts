import { createPrivateKey, createPublicKey, sign, verify } from 'node:crypto';

import { signatureBase, type Component } from './signature-base.js';

/** Keys and messages of RFC 9421, appendix B. */
const ED25519_PRIVATE = createPrivateKey(
  '-----BEGIN PRIVATE KEY-----\nMC4CAQAwBQYDK2VwBCIEIJ+DYvh6SEqVTm50DFtMDoQikTmiCqirVv9mWG9qfSnF\n-----END PRIVATE KEY-----\n',
);
const P256_PUBLIC = createPublicKey(
  '-----BEGIN PUBLIC KEY-----\nMFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEqIVYZVLCrPZHGHjP17CTW0/+D9Lf\nw0EkjqF7xB4FivAxzic30tMM4GF+hR6Dxh71Z50VGGdldkkDXZCnTNnoXQ==\n-----END PUBLIC KEY-----\n',
);

describe('the signature base', () => {
  it('signs the request of RFC 9421, B.2.6, with the signature that stands there', () => {
    const components: readonly Component[] = [
      { name: 'date', value: 'Tue, 20 Apr 2021 02:07:55 GMT' },
      { name: '@method', value: 'POST' },
      { name: '@path', value: '/foo' },
      { name: '@authority', value: 'example.com' },
      { name: 'content-type', value: 'application/json' },
      { name: 'content-length', value: '18' },
    ];
    const parameters = new Map<string, string | number>([
      ['created', 1618884473],
      ['keyid', 'test-key-ed25519'],
    ]);
    const { base } = signatureBase(components, parameters);
    expect(base.toString()).toBe(
      [
        '"date": Tue, 20 Apr 2021 02:07:55 GMT',
        '"@method": POST',
        '"@path": /foo',
        '"@authority": example.com',
        '"content-type": application/json',
        '"content-length": 18',
        '"@signature-params": ("date" "@method" "@path" "@authority" "content-type" "content-length");created=1618884473;keyid="test-key-ed25519"',
      ].join('\n'),
    );
    expect(sign(null, base, ED25519_PRIVATE).toString('base64')).toBe(
      'wqcAqbmYJ2ji2glfAMaRy4gruYYnx2nEFN2HN6jrnDnQCK1u02Gb04v9EDgwUPiu4A0w6vuQv5lIp5WPpBKRCw==',
    );
  });

  it('is what the answer of RFC 9421, 2.4, which covers its request, was signed over', () => {
    const components = [
      { name: '@status', value: '503' },
      {
        name: 'content-digest',
        value: 'sha-512=:0Y6iCBzGg5rZtoXS95Ijz03mslf6KAMCloESHObfwnHJDbkkWWQz6PhhU9kxsTbARtY2PTBOzq24uJFpHsMuAg==:',
      },
      { name: 'content-type', value: 'application/json' },
      { name: '@authority', ofRequest: true, value: 'example.com' },
      { name: '@method', ofRequest: true, value: 'POST' },
      { name: '@path', ofRequest: true, value: '/foo' },
      {
        name: 'content-digest',
        ofRequest: true,
        value: 'sha-512=:WZDPaVn/7XgHaAy8pmojAkGWoRx2UFChF41A2svX+TaPm+AbwAgBWnrIiYllu7BNNyealdVLvRwEmTHWXvJwew==:',
      },
    ];
    const parameters = new Map<string, string | number>([
      ['created', 1618884479],
      ['keyid', 'test-key-ecc-p256'],
    ]);
    const { base } = signatureBase(components, parameters);
    const signature = Buffer.from(
      'dMT/A/76ehrdBTD/2Xx8QuKV6FoyzEP/I9hdzKN8LQJLNgzU4W767HK05rx1i8meNQQgQPgQp8wq2ive3tV5Ag==',
      'base64',
    );
    const key = { key: P256_PUBLIC, dsaEncoding: 'ieee-p1363' } as const;
    expect(verify('sha256', base, key, signature)).toBe(true);
  });
});
